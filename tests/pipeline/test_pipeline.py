"""Programs that nobody writes by hand, through every stage: bounded time, a result or an error, under the sanitizers.

tests/syntax/test_hostile.py does it for the parser with bytes that are no programs; these are valid, so that scopes,
control flow, values, rules and both writers see them.
"""

from __future__ import annotations

import os
import subprocess
import sysconfig
from pathlib import Path

import pytest

# Generous: the bound is there to catch quadratic behaviour in what a file may hold many of.
TIME_LIMIT = 120
LONG_PATCH = b"too many changes to look for the shortest patch"
STDLIB = Path(sysconfig.get_paths()["stdlib"])
MODEL = Path(__file__).resolve().parents[1] / "data" / "check" / "model.py"
TEN_FILES = [
    STDLIB / name
    for name in (
        "abc.py",
        "ast.py",
        "bisect.py",
        "contextlib.py",
        "dataclasses.py",
        "functools.py",
        "keyword.py",
        "string.py",
        "textwrap.py",
    )
] + [MODEL]
HEAD = "import torch\n\n\n"
BRANCH = "    if x.sum() > {0}:\n        x = x + {0}\n"


def function(body: str, name: str = "f") -> str:
    return f"def {name}(x: torch.Tensor, flag=None):\n{body}    return x\n"


def nested(lines: list[str]) -> str:
    """Each line in the block of the one before it."""
    return "".join("    " * (depth + 1) + line + "\n" for depth, line in enumerate(lines))


HOSTILE = {
    "branches": function("".join(BRANCH.format(i) for i in range(2_000))),
    "branches in branches": function(nested([f"if x.sum() > {i}:" for i in range(90)] + ["x = x + 1"])),
    "elif": function("    if x.sum() > 0:\n        x = x + 1\n" + "    elif x.sum() > 1:\n        x = x - 1\n" * 300),
    "early returns": function("".join(f"    if x.sum() > {i}:\n        return x + {i}\n" for i in range(2_000))),
    "guards": function("    if x.max() > 1:\n        raise ValueError(x)\n" * 5_000),
    "prints": function("    print('x', x, x.shape)\n" * 10_000),
    "one long print": function("    print(" + "x, " * 20_000 + ")\n"),
    "conditional expressions": function("    x = " + "(x if x.sum() > 0 else " * 80 + "x" + ")" * 80 + "\n"),
    "chain of conditions": function("    x = " + "x if x.sum() > 0 else " * 1_000 + "x\n"),
    "and, or": function("    if " + " and ".join(["x.sum() > 0", "x.max() < 1"] * 5_000) + ":\n        x = x + 1\n"),
    "comparisons": function("    if 0 " + "< x " * 20_000 + ":\n        x = x + 1\n"),
    "sum": function("    x = x" + " + x" * 1_000 + "\n"),
    "methods": function("    x = x" + ".abs()" * 400 + "\n"),
    "attributes": function("    x = x" + ".T" * 1_000 + "\n"),
    "locals": function("".join(f"    a{i} = x + {i}\n" for i in range(10_000))),
    "locals in a side": function("    if x.sum() > 0:\n" + "".join(f"        a{i} = x + {i}\n" for i in range(3_000))),
    "loops": function(nested([f"for i{i} in range(2):" for i in range(90)] + ["print(x)"])),
    "tries": function("    try:\n        x = x + 1\n    except ValueError:\n        print(x)\n" * 3_000),
    "functions": "".join(function(BRANCH.format(1), f"f{i}") for i in range(10_000)),
    "functions that call the next": "".join(
        f"def f{i}(x: torch.Tensor):\n    if x.sum() > 0:\n        x = f{i + 1}(x)\n    return x\n"
        for i in range(10_000)
    ),
    "functions that call all": "".join(f"def f{i}(x):\n    return x\n" for i in range(2_000))
    + function("    if x.sum() > 0:\n" + "".join(f"        x = f{i}(x)\n" for i in range(2_000))),
    "closures": "def f(x):\n" + nested([f"def f{i}(x{i}):" for i in range(90)] + ["print(x0, x89)"]),
    "lambdas": function("    x = " + "(lambda: " * 80 + "x" + ")" * 80 + "\n"),
    "comprehensions": function(
        "    x = " + "[" * 80 + "x" + "".join(f" for i{i} in range(2)]" for i in range(80)) + "\n"
    ),
    "classes": "".join(
        f"class C{i}(torch.nn.Module):\n    def forward(self, x):\n        return self.layer(x)\n" for i in range(5_000)
    ),
    "classes that derive": "class C0(torch.nn.Module):\n    pass\n"
    + "".join(f"class C{i + 1}(C{i}):\n    def forward(self, x):\n        print(x)\n" for i in range(5_000)),
    "attributes of a class": "class C(torch.nn.Module):\n    def __init__(self):\n"
    + "".join(f"        self.a{i} = torch.nn.Linear(1, 1)\n" for i in range(5_000))
    + "    def forward(self, x):\n"
    + "".join(f"        x = self.a{i}(x)\n" for i in range(5_000))
    + "        return x\n",
    "assignments to one name": function("    x = x + 1\n" * 20_000 + BRANCH.format(1)),
    "one name and another in turn": function("    y = x + 1\n    x = y + 1\n" * 10_000 + BRANCH.format(1)),
    "long f-string": function("    print(f'" + "{x.shape} " * 20_000 + "')\n"),
    "comments": HEAD + "# graphmend: ignore[GM101]\n" * 100_000,
    "match": function(
        "    match x.dim():\n" + "".join(f"        case {i}:\n            x = x + {i}\n" for i in range(3_000))
    ),
    "with": function(nested(["with torch.no_grad():"] * 90 + ["print(x)"])),
    "globals": "".join(f"g{i} = torch.ones({i})\n" for i in range(20_000)) + function("    print(g1, g19999)\n"),
}
COMMANDS = (
    ["check", "--no-cache", "--all", "--output-format", "json"],
    ["fix", "--diff", "--unsafe"],
    ["debug", "mend"],
)


@pytest.fixture(scope="module")
def build() -> Path:
    """The build folder with the executable and the test programs."""
    folder = os.environ.get("GRAPHMEND_BUILD")
    if not folder:
        pytest.skip("set GRAPHMEND_BUILD to a build folder with the test programs")
    return Path(folder)


def run(*command: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([str(part) for part in command], capture_output=True, timeout=TIME_LIMIT)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:2]))
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_programs(build: Path, tmp_path: Path, name: str, command: list[str]) -> None:
    path = tmp_path / "hostile.py"
    path.write_text(HEAD + HOSTILE[name], encoding="utf-8")
    done = run(build / "graphmend", *command, path)
    if b"too large, not analysed" in done.stderr:  # `fix` leaves such a file alone
        assert done.returncode == 0 and done.stderr.count(b"\n") == 1 and command[0] == "fix"
        return
    assert done.returncode in (0, 1), done.stderr[-2000:]
    if LONG_PATCH in done.stderr:  # of thousands of changes; `fix --diff` says that a shorter one may exist
        assert done.stderr.count(b"\n") == 1 and "--diff" in command
        return
    assert done.stderr == b""


def test_memory_runs_out(build: Path) -> None:
    """Every single allocation fails once, on ten files, inside the core and in the public functions."""
    inside = run(build / "gm-out_of_memory", *TEN_FILES)
    assert inside.returncode == 0, inside.stderr[-2000:]
    assert inside.stdout.count(b"failures survived") == len(TEN_FILES)
    singly = run(build / "gm-out_of_memory", "--singly", MODEL)
    assert singly.returncode == 0 and singly.stdout.count(b"failures survived") == 1, singly.stderr[-2000:]
    program = build / "gm-public_memory"
    if not program.exists():
        pytest.skip("the linker cannot put functions in place of malloc")
    outside = run(program, *TEN_FILES)
    assert outside.returncode == 0, outside.stderr[-2000:]
    assert outside.stdout.count(b"failures survived") == 8 * len(TEN_FILES)


def test_every_prefix(build: Path) -> None:
    """All prefixes of a model with every kind of finding, and some of larger files."""
    for step, path in ((1, MODEL), (7, STDLIB / "textwrap.py"), (499, STDLIB / "typing.py")):
        checked = run(build / "gm-prefixes", "--all", step, path)
        assert checked.returncode == 0, checked.stderr[-2000:]
