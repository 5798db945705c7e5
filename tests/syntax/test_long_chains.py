"""Chains of terms: as long as a machine writes them they are read; longer than the limit they are refused in words."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "syntax" / "parser.h"
CHAINS = {
    "attributes": ("a", [".b"]),
    "calls": ("a", ["()"]),
    "items": ("a", ["[0]"]),
    "mixed": ("a", ["(b)", "[c]", ".d"]),
    "awaited": ("await a", [".b", "()"]),
    "sums": ("a", [" + b"]),
    "products": ("a", [" * b"]),
    "shifts": ("a", [" << b"]),
    "bars": ("a", [" | b"]),
}


def limit() -> int:
    found = re.search(r"GM_TERMS_LIMIT = (\d+)", SOURCE.read_text(encoding="utf-8"))
    assert found is not None
    return int(found[1])


def diagnostics(executable: str, path: Path) -> list[str]:
    command = [executable, "check", "--no-cache", "--isolated", "--output-format", "concise", str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout.splitlines()


def chain(name: str, count: int) -> str:
    """A function with a chain of so many terms behind the first."""
    first, terms = CHAINS[name]
    whole = "".join(terms[number % len(terms)] for number in range(count))
    return f"async def f():\n    x = {first}{whole}\n    y = 1\n"


@pytest.mark.parametrize("name", CHAINS)
def test_chains(executable: str, tmp_path: Path, name: str) -> None:
    """The longest that is read, and the shortest that is refused."""
    path, most = tmp_path / "a.py", limit()
    ast.parse(chain(name, 50))
    for count in (1, 50, most - 1, most):
        path.write_text(chain(name, count))
        assert diagnostics(executable, path) == [], count
    for count in (most + 1, most + 2, most * 3):
        path.write_text(chain(name, count))
        (told,) = diagnostics(executable, path)
        column = 15 if name == "awaited" else 9
        assert f":2:{column}: too-large too large, not analysed: more than {limit()} terms in one expression" in told
