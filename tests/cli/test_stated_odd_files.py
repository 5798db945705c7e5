"""Files of which little can be shown, in every format: large ones, long lines, cells on one line, hidden characters."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from stated_texts import hold

FORMATS = ["full", "concise", "json", "json-lines", "github", "gitlab", "sarif", "junit"]
HEAD = "import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n"
LONG = "\u00e9\u20ac\U0001f600" * 120
COMMANDS = 'y = x.view("##[error] ::warning::a ###[ ::9 ##x[ ##")\n    if y.sum() > 0: print(y)\n    return y\n'
CELL = f"{HEAD}    print(x.sum(),\n        x.mean())\n    return x\n"


# What machines obey the log: none, wherever the tests run.
LOGS = {"GITHUB_ACTIONS": "", "TF_BUILD": "", "TEAMCITY_VERSION": ""}


def notebook(*sources: object) -> str:
    cells = [{"cell_type": "code", "source": source, "metadata": {}, "outputs": []} for source in sources]
    return json.dumps({"cells": cells, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4}, indent=1)


FILES = {
    "terms.py": f"x = {' + '.join(['a'] * 6001)}\n",
    "deep.py": f"x = {'-' * 6000}1\n",
    "line.py": f'{HEAD}    return "{LONG}", print(x.sum()), "{LONG}"\n',
    "first.py": f'{HEAD}    return print(x.sum()), "{LONG}"\n',
    "last.py": f'{HEAD}    return "{LONG}", print(x.sum())\n',
    "ascii.py": f'{HEAD}    return "{"abc" * 200}", print("{"x" * 700}", x.sum()), "{"abc" * 200}"\n',
    "hidden.py": f'{HEAD}    print("\u202e\u200b\x85\x9b\ufeff\x7f<&>\\x00", x.sum())\n',
    "commands.py": f"{HEAD}    {COMMANDS}",
    "over.py": f"{HEAD}    print(x.sum(),\n        x.mean(),\n    )\n    return x\n",
    "one_line.ipynb": notebook(CELL),
    "lines.ipynb": notebook("import torch\n", CELL.splitlines(keepends=True)),
    "empty.ipynb": notebook(),
    "terms.ipynb": notebook(f"x = {' + '.join(['a'] * 6001)}\n"),
}


@pytest.mark.parametrize("kind", FORMATS)
def test_stated_odd_files(cli: Any, kind: str) -> None:
    for name, text in FILES.items():
        cli.write(name, text)
    ended = cli("check", "--no-cache", "--all", "--output-format", kind, ".", **LOGS)
    out = re.sub(r'"rules": \[.*?(?=\n\{"id": "syntax")', '"rules": ...', ended.out, flags=re.S)
    out = re.sub(r"\b\d+\.\d+\.\d+\b(?=\")", "VERSION", out)
    hold(Path(__file__).parent / "stated" / f"odd_files.{kind}.txt", f"{ended.status}\n{out}{ended.err}")


@pytest.mark.parametrize(
    "command", [["fix", "--unsafe", "--diff"], ["check", "--statistics"], ["check", "--add-ignore", "--diff"]]
)
def test_stated_commands(cli: Any, command: list[str]) -> None:
    for name, text in FILES.items():
        cli.write(name, text)
    ended = cli(*command, "--no-cache", ".", **LOGS)
    name = "_".join(command).replace("-", "")
    hold(Path(__file__).parent / "stated" / f"odd_files.{name}.txt", f"{ended.status}\n{ended.out}{ended.err}")


@pytest.mark.parametrize("machine", ["GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION", "NOTHING"])
def test_stated_logs(cli: Any, machine: str) -> None:
    """What obeys a log is not obeyed by what a file says."""
    texts = []
    for name in ("commands.py", "hidden.py"):
        cli.write(name, FILES[name])
        for kind in ("full", "concise", "github"):
            ended = cli(
                "check", "--no-cache", "--all", "--output-format", kind, name, "##[a].py", **{**LOGS, machine: "1"}
            )
            texts.append(f"{name} {kind}: {ended.status}\n{ended.out}{ended.err}")
    hold(Path(__file__).parent / "stated" / f"odd_files.log_of_{machine.lower()}.txt", "".join(texts))
