"""Chains of terms: as long as a machine writes them they are read; longer than the limit they are refused in words."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "syntax" / "parser.h"
CHAINS = {
    "attributes": ("a", ".b"),
    "calls": ("a", "()"),
    "items": ("a", "[0]"),
    "mixed": ("a", "(b)[c].d"),
    "awaited": ("await a", ".b()"),
    "sums": ("a", " + b"),
    "products": ("a", " * b"),
    "shifts": ("a", " << b"),
    "bars": ("a", " | b"),
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


@pytest.mark.parametrize("name", CHAINS)
def test_chains(executable: str, tmp_path: Path, name: str) -> None:
    first, term = CHAINS[name]
    path, most = tmp_path / "a.py", limit() // max(1, len(re.findall(r"\.|\(|\[", term)))
    ast.parse(f"async def f():\n    x = {first}{term * 50}\n")
    for count in (1, 50, most - 2):
        path.write_text(f"async def f():\n    x = {first}{term * count}\n    y = 1\n")
        assert diagnostics(executable, path) == [], count
    for count in (most + 2, most * 3):
        path.write_text(f"async def f():\n    x = {first}{term * count}\n    y = 1\n")
        (told,) = diagnostics(executable, path)
        column = 15 if name == "awaited" else 9
        assert f":2:{column}: too-large too large, not analysed: more than {limit()} terms in one expression" in told
