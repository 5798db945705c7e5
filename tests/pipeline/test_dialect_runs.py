"""The dialect of random functions, run with its calls as plain Python, does what the functions do."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import dialect_programs
import pytest

FUNCTIONS = 400


@pytest.mark.skipif(sys.version_info < (3, 10), reason="has no match")
@pytest.mark.parametrize("seed", [1, 2])
def test_mended_functions_do_the_same(executable: str, tmp_path: Path, seed: int) -> None:
    functions = [dialect_programs.function(seed * 10_000 + at, f"f{at}") for at in range(FUNCTIONS)]
    parts = [dialect_programs.HEAD, *functions] if seed == 1 else [*functions, dialect_programs.HEAD]
    text = "\n\n".join(parts)
    path = tmp_path / "a.py"
    path.write_text(text)
    done = subprocess.run([executable, "debug", "mend", "a.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    calls = dialect_programs.Calls(seed)
    plain, mended = dialect_programs.Program(text, calls), dialect_programs.Program(done.stdout, calls)
    chance, results = random.Random(seed), set()
    for at in range(FUNCTIONS):
        for _ in range(10):
            given = chance.choice([0, 1, 20, 45, 70]), chance.choice([0, 3, 50, 90]), chance.randint(0, 3)
            expected = plain.run(f"f{at}", *given)
            got = mended.run(f"f{at}", *given)
            assert got == expected, (given, functions[at])
            results.add(expected[0].partition("(")[0].partition(" ")[0])
    assert {"tensor", "ValueError", "AssertionError", "KeyError", "UnboundLocalError"} <= results
    assert min(calls.used.values()) > 20, calls.used
