"""Compound statements of every kind around a branch: what is said, and the dialect, in full."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from bisect import bisect_right
from collections import defaultdict
from pathlib import Path

import pytest
from stated_texts import hold

BRANCH = "if x.sum() > 0:\n    x = x + 1\nelse:\n    x = x - 1"
# BODY is the branch, indented.
COMPOUNDS = [
    *("if n:\n    BODY", "if n:\n    pass\nelif k:\n    BODY", "if n:\n    pass\nelse:\n    BODY", "if n: pass\nBODY"),
    *("for i in n:\n    BODY", "for i in n:\n    pass\nelse:\n    BODY", "for i, j in n:\n    BODY\n    continue"),
    *(
        "while n:\n    BODY",
        "while n:\n    break\nelse:\n    BODY",
        "with n:\n    BODY",
        "with n as k, k as n:\n    BODY",
    ),
    *("with (n as k,):\n    BODY", "try:\n    BODY\nfinally:\n    pass", "try:\n    pass\nfinally:\n    BODY"),
    *("try:\n    BODY\nexcept:\n    pass", "try:\n    pass\nexcept ValueError as k:\n    BODY\nelse:\n    pass"),
    *("try:\n    pass\nexcept (ValueError, TypeError):\n    pass\nelse:\n    BODY\nfinally:\n    pass",),
    *("try:\n    BODY\nexcept* ValueError:\n    pass", "try:\n    pass\nexcept* ValueError as k:\n    BODY"),
    *(
        "match n:\n    case 1:\n        BODY\n    case _:\n        pass",
        "match n, k:\n    case [a, *b] if a:\n        BODY",
    ),
    *(
        "match (n):\n    case {'a': a, **b} | a if b:\n        pass\n    case str() as c:\n        BODY",
        "match *n, k:\n    case _:\n        BODY",
    ),
    *(
        "def inner(x):\n    BODY\n    return x\nx = inner(x)",
        "@n\ndef inner(x, *, k=1, **more) -> int:\n    'words'\n    BODY\n    return x",
    ),
    *(
        "async def inner(x):\n    BODY\n    return x",
        "async def inner(x):\n    async for i in x:\n        BODY\n    else:\n        BODY",
    ),
    *(
        "async def inner(x):\n    async with x as k:\n        BODY\n    await x",
        "async def inner(x):\n    BODY\n    yield x",
    ),
    *(
        "class Inner(n, k=k):\n    'words'\n    x = n\n    BODY",
        "class Inner:\n    def f(self, x):\n        BODY\n        return x",
    ),
    *(
        "class Inner:\n    async def f(self, x):\n        BODY\n    BODY",
        "def inner(x):\n    BODY\n    yield x",
        "k = lambda x: x\nBODY",
    ),
    *(
        "if n:\n    for i in n:\n        while i:\n            with i:\n                BODY",
        "BODY\nBODY",
        "BODY\nprint(x)\nBODY",
    ),
    *(
        "if n:\n    BODY\n    # a comment\n\n    # another\n    n = 1  # and one",
        "# in front\nBODY\n# behind",
        "n = '''\ntext\n'''\nBODY",
    ),
    *(
        "if n: x = x * 2; BODY2",
        "for i in n: BODY2",
        "while n: BODY2",
        "with n: BODY2",
        "if n: pass\nelse: BODY2",
        "BODY2; BODY2",
    ),
    *(
        "try: BODY2\nfinally: BODY2",
        "class Inner: BODY2",
        "def inner(x): BODY2",
        "match n:\n    case 1: BODY2",
        "BODY2; print(x)",
    ),
]


def indented(text: str, by: str) -> str:
    return "\n".join(f"{by}{line}" if line else "" for line in text.splitlines())


def body_of(compound: str, body: str = BRANCH, short: str = "y = (x if x.sum() > 0 else -x)") -> str:
    lines = []
    for line in compound.replace("BODY2", short).splitlines():
        start = line[: len(line) - len(line.lstrip())]
        lines.append(indented(body, start) if line.strip() == "BODY" else line)
    return "\n".join(lines)


# What leaves a side, or may, in a compound that is the side of a branch, and in one behind which a branch stands.
EXITS = {
    "return": "return x * 2",
    "raise": "raise ValueError(n)",
    "may return": "if n:\n    return x * 2",
    "early return": "if x.sum() > 0:\n    return x * 2",
    "value": "y = x * 3",
    "number": "y = 3",
    "break": "for i in n:\n    break",
}


SHOWN = ["return", "may return", "raise"]  # whose dialect is shown


def exits(body: str) -> str:
    text, short = "import torch\n", body if "\n" not in body else "y = 4"
    for number, compound in enumerate(COMPOUNDS):
        head = "\n\n@torch.compile\ndef {}{}(x: torch.Tensor, n, k):\n    y = x\n"
        side = indented(body_of(compound, body, short), "    ")
        text += f"{head.format('side', number)}    if x.mean() > 0:\n{indented(side, '    ')}\n    return x, y\n"
        text += f"{head.format('front', number)}{side}\n    if x.mean() > 0:\n        return y\n    return x\n"
    return text


def findings(executable: str, folder: Path) -> dict[int, list[str]]:
    """What is said of each function, by its number in the file."""
    command = [executable, "check", "--no-cache", "--isolated", "--output-format", "json-lines", "a.py"]
    told = subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout
    starts = [
        number for number, line in enumerate((folder / "a.py").read_text().splitlines()) if line == "@torch.compile"
    ]
    found: dict[int, list[str]] = defaultdict(list)
    for row in map(json.loads, told.splitlines()):
        at = bisect_right(starts, row["line"])
        words = [str(row.get(key)) for key in ("code", "run", "fix", "message", "reason", "fix_note")]
        found[at].append(f"    {row['line'] - starts[at - 1]}: {' | '.join(words)}\n")
    return found


@pytest.mark.parametrize("name", EXITS)
def test_stated_exits(executable: str, tmp_path: Path, name: str) -> None:
    """What is said of each function, and for some the dialect of those that are mended."""
    text = exits(EXITS[name])
    (tmp_path / "a.py").write_text(text)
    mend = subprocess.run([executable, "debug", "mend", "a.py"], cwd=tmp_path, capture_output=True, text=True)
    assert mend.returncode == 0
    before, after = [re.split(r"^@torch\.compile\n", whole, flags=re.M) for whole in (text, mend.stdout)]
    assert len(before) == len(after)
    found = findings(executable, tmp_path)
    told = []
    for at, (one, other) in enumerate(zip(before, after)):
        told += [f"{one.splitlines()[0]}\n", *found[at]] if at > 0 else []
        told += [other] if one != other and name in SHOWN else []
    hold(Path(__file__).parent / "stated" / f"compounds.{name.replace(' ', '_')}.txt", "".join(told))


def program() -> str:
    text = "import torch\n"
    for number, compound in enumerate(COMPOUNDS):
        head = f"\n\n@torch.compile\ndef f{number}(x: torch.Tensor, n, k):\n"
        text += f"{head}{indented(body_of(compound), '    ')}\n    return x\n"
    return text


def test_stated_compounds(executable: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(program())
    said = []
    for command in (
        ["debug", "mend"],
        ["debug", "cfg"],
        ["debug", "variables"],
        ["check", "--no-cache", "--all", "--isolated"],
    ):
        done = subprocess.run([executable, *command, "a.py"], cwd=tmp_path, capture_output=True, text=True)
        said.append(done.stdout + done.stderr)
    if sys.version_info >= (3, 11):  # which have `except*`
        ast.parse(program())
        ast.parse(said[0])
    hold(Path(__file__).parent / "stated" / "compounds.txt", "\n".join(said))
