"""Invariants of control-flow graphs, over code that people have written and every kind of statement."""

from __future__ import annotations

import importlib.util
import random
import subprocess
import sysconfig
from pathlib import Path

STDLIB = Path(sysconfig.get_paths()["stdlib"])
SAMPLE = 150

EVERYTHING = """
async def f(x, *args, **kwargs):
    global seen
    with open(x) as a, b() as (c, d):
        for i in range(3):
            if i: continue
            try:
                while x:
                    if i > 1: break
                    yield x
                else:
                    return
            except* ValueError as e:
                raise
            finally:
                del a
        else:
            assert x, "message"
    match x:
        case [1, *rest] if rest: pass
        case {"k": v, **more}: pass
        case A(b=c) | None: pass
    async with q: await x
    async for j in x: [k async for k in x if (w := k)]
    class C(x):
        y: int = x
        def g(self): nonlocal i; i = super().g()
    lambda z: (yield)
    return
    unreachable = 1
"""


def verify(executable: str, files: list[Path]) -> None:
    command = [executable, "debug", "cfg", "--verify", *map(str, files)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def packages() -> list[Path]:
    """The standard library, and torch where it is installed."""
    found = [path for path in STDLIB.rglob("*.py") if "site-packages" not in path.parts and "lib2to3" not in path.parts]
    torch = importlib.util.find_spec("torch")
    if torch is not None and torch.origin is not None:
        found += Path(torch.origin).parent.rglob("*.py")
    return sorted(found)


def test_packages(executable: str) -> None:
    verify(executable, random.Random(0).sample(packages(), SAMPLE))


def test_every_statement(executable: str, tmp_path: Path) -> None:
    path = tmp_path / "everything.py"
    path.write_text(EVERYTHING)
    verify(executable, [path])


def test_text(executable: str, tmp_path: Path) -> None:
    """What is printed has the blocks, steps and edges of the source."""
    path = tmp_path / "loop.py"
    path.write_text("def f(n):\n    while n:\n        n -= 1\n    return n\n")
    text = subprocess.run([executable, "debug", "cfg", str(path)], capture_output=True, text=True, check=True).stdout
    assert "line 2 test: read n" in text
    assert "line 3 statement: read n write n" in text
    for edge in ("true", "false", "back", "return"):
        assert f"    {edge} -> " in text


def test_values_everywhere(executable: str) -> None:
    """Every expression of much code has a value, in a limited time and without an error."""
    command = [executable, "debug", "facts", *map(str, random.Random(1).sample(packages(), SAMPLE))]
    ended = subprocess.run(command, capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert ended.stdout.count(b" | not ") > 10_000
