"""Small files that took hours, gigabytes or the stack: `check` and `fix` end, within seconds and a gigabyte."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from neighbours import is_sanitized
from threat_limits import run

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
from growth_shapes import S as SHAPES  # noqa: E402

HEAD = "import torch\n@torch.compile\ndef f(x, a):\n"
TAIL = "    return x\n"


def block(depth: int, text: str) -> str:
    return "    " * depth + text + "\n"


def ways_to_a_name() -> str:
    """Each name has ten equal binders, which ask for the ten of the next one."""
    names = "".join(f"t{i} = t{i - 1}\n" * 10 for i in range(1, 15))
    return f"import torch as t0\n{names}@t0.compile\ndef f(x):\n    print(t14.sin(x))\n    return x\n"


def last_in_last(depth: int = 22, at: int = 1) -> str:
    """A `finally` in the body of a `finally`."""
    if depth == 0:
        return block(at, "return x")
    tried = block(at, "try:") + block(at + 1, "if a: return 1") + block(at + 1, "x = x + 1")
    return (HEAD if at == 1 else "") + tried + block(at, "finally:") + last_in_last(depth - 1, at + 1)


def long_operand(terms: int = 12000) -> str:
    """What goes over the operands of a test recurses."""
    return f"{HEAD}    if x.sum() > ({' + '.join('x' for _ in range(terms))}):\n        x = x + 1\n{TAIL}"


def chains_in_chains() -> str:
    chain = "(" * 12 + "x" + (" + x" * 4000 + ")") * 12
    return f"{HEAD}    if x.sum() > {chain}:\n        x = x + 1\n{TAIL}"


def branches_in_branches(at: int = 1) -> str:
    """In the last of many `elif` there are as many again."""
    count = 6000
    texts = [block(at, f"{'elif' if i else 'if'} a == {i}:") + block(at + 1, "x = 1") for i in range(count)]
    last = block(at, "else:") + (branches_in_branches(at + 1) if at < 8 else block(at + 1, "x = 2"))
    return (HEAD if at == 1 else "") + "".join(texts) + last + (TAIL if at == 1 else "")


SMALL = [ways_to_a_name, last_in_last, long_operand, chains_in_chains, branches_in_branches]


@pytest.mark.parametrize("text", SMALL, ids=[make.__name__ for make in SMALL])
@pytest.mark.parametrize("command", [["check", "--no-cache"], ["fix", "--unsafe", "--diff"]])
def test_a_small_file(executable: str, tmp_path: Path, text: Callable[[], str], command: list[str]) -> None:
    (tmp_path / "a.py").write_text(text())
    assert run([executable, *command, "a.py"], folder=tmp_path, megabytes=1024).returncode in (0, 1, 2)


STEEP = [
    "print_wide",
    "print_names",
    "format",
    "loops_of_comp",
    "one_line",
    "if_names_and",
    "if_body",
    "params_keyword",
    "redefined",
]


@pytest.mark.parametrize("name", STEEP)
@pytest.mark.parametrize("command", [["check", "--no-cache"], ["fix", "--unsafe", "--diff"]])
def test_a_wide_statement(executable: str, tmp_path: Path, name: str, command: list[str]) -> None:
    """Half a megabyte of one statement took from half a minute to minutes."""
    shape = SHAPES[name]
    unit = (len(shape(1100)) - len(shape(100))) / 1000
    size = 50_000 if is_sanitized(executable) else 500_000
    (tmp_path / "a.py").write_text(shape(int(size / unit)))
    assert run([executable, *command, "a.py"], folder=tmp_path, seconds=8).returncode in (0, 1, 2)


PATTERNS = {
    "class": "*[" + "b" * 1_000_000 + "]q\n",
    "class_and_tail": "*[" + "b" * 1_000_000 + "]*y\n",
    "stars": "**/" + "*a" * 20_000 + "b\n",
    "lines": "*a*b\n" * 100_000,
    "lines_and_tails": "*a*b*y\n" * 100_000,
}


@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=PATTERNS)
def test_patterns_that_take_long(executable: str, tmp_path: Path, pattern: str) -> None:
    """Patterns times paths would be hours: behind a number of steps nothing is left out, which is told."""
    (tmp_path / ".gitignore").write_text(pattern)
    for number in range(500):
        (tmp_path / ("a" * 200 + f"{number}.py")).write_text("x = 1\n")
    seconds = 120 if is_sanitized(executable) else 30
    ran = run([executable, "check", "--no-cache", "."], folder=tmp_path, seconds=seconds)
    assert ran.returncode == 0 or "take too long" in ran.stderr
