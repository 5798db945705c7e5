"""Whole reports in every format, for every way to name files; the texts stand in `stated` and are read as a diff."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from stated_texts import hold

MODEL = """import torch


@torch.compile
def f(x: torch.Tensor):
    print("<a> & 'b'", x.sum())  # \u00e9\t"
    if x.mean() > 0:
        y = x * 2
    else:
        y = x * 3
    return y.item()
"""
FORMATS = ["full", "concise", "json", "json-lines", "github", "gitlab", "sarif", "junit"]
FILES = {
    "a.py": MODEL,
    "a b%\u00fc.py": MODEL.replace("f(", "g("),
    "below/wrong.py": "def f(:\n",
    "below/bytes.py": b"x = '\xff'\n",
    "below/quiet.py": "x = 1\n",
    "below/old.py": "import torch\n\n\n@torch.compile\ndef f(x):  # graphmend: ignore[GM101]\n    return x\n",
}
# Options and paths; ABOVE is the folder itself.
ASKED = {
    "all": ["."],
    "dotted": ["./a.py", "./below/../a b%\u00fc.py"],
    "whole": ["ABOVE/a.py", "ABOVE/below"],
    "missing": ["a.py", "nowhere.py"],
    "counted": ["--statistics", "."],
    "shown": ["--all", "a.py"],
    "chosen": ["--select", "GM3", "."],
    "ignored": ["--ignore", "GM3,GM1", "."],
    "lenient": ["--exit-zero", "--isolated", "a.py"],
}


@pytest.mark.parametrize("kind", FORMATS)
def test_stated_formats(cli, kind: str) -> None:
    for name, text in FILES.items():
        cli.write(name, text)
    stated = []
    for name, asked in ASKED.items():
        paths = [part.replace("ABOVE", str(cli.folder)) for part in asked]
        ended = cli("check", "--no-cache", "--output-format", kind, *paths)
        out = re.sub(
            r'"rules": \[.*?(?=\n"results")', '"rules": ...', ended.out, flags=re.S
        )  # of SARIF: the pages of all rules
        out = re.sub(r"\b\d+\.\d+\.\d+\b(?=\")", "VERSION", out).replace(str(cli.folder), "ABOVE")
        if name == "whole":  # the path of this run is a part of them
            out = re.sub(r'"[0-9a-f]{16}(?=[/":])', '"FINGERPRINT', out)
        err = ended.err.replace(str(cli.folder), "ABOVE")
        stated.append(f"## {name}: {ended.status}\n{out}{'' if out.endswith(chr(10)) else chr(10)}{err}")
    hold(Path(__file__).parent / "stated" / f"format.{kind}.txt", "\n".join(stated))
