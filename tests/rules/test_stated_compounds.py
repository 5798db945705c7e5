"""Compound statements of every kind around a branch: what is said, and the dialect, in full."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

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


def body_of(compound: str) -> str:
    lines = []
    for line in compound.replace("BODY2", "y = (x if x.sum() > 0 else -x)").splitlines():
        start = line[: len(line) - len(line.lstrip())]
        lines.append(indented(BRANCH, start) if line.strip() == "BODY" else line)
    return "\n".join(lines)


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
