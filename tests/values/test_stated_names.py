"""Every name that stands in a text of the core, called, read, kept and asked: what is stated of its value and reported.

Names of which the same is said stand together in `stated`, with NAME in their place.
"""

from __future__ import annotations

import keyword
import re
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest
from stated_texts import hold

HERE = Path(__file__).parent
CORE = HERE.parents[1] / "src"
FOLDERS = ["flow", "values", "analysis", "rules", "mend"]
MODULES = "torch|math|numpy|contextlib|warnings|logging|random|time|os|io|sys|collections|functools|operator|typing"
MODULES += "|itertools|copy|dataclasses|builtins|types|threading|weakref|inspect|gc|re|json|pickle|pathlib"
TEXT = re.compile(r'"((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)"')
HEAD = f"import {', '.join(sorted(MODULES.replace('builtins|', '').split('|')))}\nfrom torch import Tensor\n"
QUALIFIED = """

class Net{at}(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = NAME(3, 4)
        self.plain = NAME

    def forward(self, x: Tensor, n: int, other):
        a = NAME(x)
        b = NAME(x, n)
        c = NAME()
        d = NAME
        e = self.kept(x)
        f = self.plain(n)
        NAME(x, n)
        g = [NAME(x) if NAME(n) else NAME(other)]
        with NAME(n) as h:
            print(h)
        return x * 2
"""
METHOD = """

@torch.compile
def f{at}(x: Tensor, n: int, other):
    a = x.NAME()
    b = x.NAME(n)
    c = x.NAME
    d = n.NAME(x)
    e = other.NAME(x)
    f = NAME(x)
    x.NAME(n)
    other.NAME(x, n)
    g = [x if x.NAME() else n]
    with other.NAME(x) as h:
        print(h)
    return x * 2
"""


def names() -> dict[str, list[str]]:
    found = set()
    for folder in FOLDERS:
        for path in sorted((CORE / folder).glob("*.[cd]*")):
            found |= set(TEXT.findall(path.read_text(encoding="utf-8")))
    known = [name for name in sorted(found) if not set(name.split(".")) & set(keyword.kwlist)]
    return {
        "qualified": [name for name in known if re.match(rf"(?:{MODULES})\.", name)],
        "methods": [name for name in known if re.fullmatch(r"(?!G[MB]\d)\w\w+", name)],
    }


NAMES = names()
FORMS = {"qualified": QUALIFIED, "methods": METHOD}


def program(kind: str) -> tuple[str, list[int]]:
    """A class or function for each name, and the line behind each of them."""
    text, ends = HEAD, []
    for at, name in enumerate(NAMES[kind]):
        text += FORMS[kind].format(at=at).replace("NAME", name.removeprefix("builtins."))
        ends.append(text.count("\n"))
    return text, ends


def lines_of(stage: str, out: str) -> list[tuple[int, str]]:
    """What is said, by line; of values, those of whole calls and names, without what stands in them."""
    if stage == "check":
        return [(int(line), text) for line, text in re.findall(r"^a\.py:(\d+):\d+: (.*)", out, re.M)]
    wanted = re.compile(r"(\d+):\d+-\d+:\d+ ((?:x|n|other|self)?[\w.]*(?:\([^()]*\))?) \| (.*)")
    found = [wanted.fullmatch(line) for line in out.splitlines()]
    return [(int(row[1]), f"`{row[2]}` {row[3]}") for row in found if row is not None and len(row[2]) > 2]


def without(name: str, row: str) -> str:
    """A row with NAME for the name in what is quoted."""
    whole = re.compile(rf"(?<![\w])(?<!self\.){re.escape(name)}(?!\w)")
    return re.sub(r"`[^`]*`", lambda quoted: whole.sub("NAME", quoted.group()), row)


@pytest.mark.parametrize("stage", ["facts", "check"])
@pytest.mark.parametrize("kind", FORMS)
def test_stated_names(executable: str, tmp_path: Path, kind: str, stage: str) -> None:
    text, ends = program(kind)
    (tmp_path / "a.py").write_text(text)
    options = ["debug", "facts"] if stage == "facts" else ["check", "--no-cache", "--all", "--isolated"]
    command = [executable, *options, *(["--output-format", "concise"] if stage == "check" else []), "a.py"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode in (0, 1), done.stderr
    said: dict[int, list[str]] = defaultdict(list)
    for line, row in lines_of(stage, done.stdout):
        said[line].append(row)
    groups: dict[str, list[str]] = defaultdict(list)
    start = HEAD.count("\n")
    for name, end in zip(NAMES[kind], ends):
        short = name.removeprefix("builtins.")
        rows = [(line - start, without(short, row)) for line in range(start + 1, end + 1) for row in said[line]]
        kept = [f"    {line}: {row}\n" for line, row in rows if re.search("NAME|kept|plain|GM", row)]
        groups["".join(kept)].append(name)
        start = end
    assert len(groups) > 8
    told = [f"{' '.join(some)}\n{rows}\n" for rows, some in groups.items()]
    hold(HERE / "stated" / f"names.{kind}.{stage}.txt", "".join(told))
