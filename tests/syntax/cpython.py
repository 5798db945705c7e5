"""What the Python that runs the tests makes of a file, and what graphmend says that it makes."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import sysconfig
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

if sys.version_info < (3, 9):
    pytest.skip("trees are compared from 3.9 on", allow_module_level=True)

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import oracle_worker  # noqa: E402

STDLIB = Path(sysconfig.get_paths()["stdlib"])
TARGET = f"3.{sys.version_info[1]}"
# Positions inside f-strings are CPython's own mistake before 3.12.
SWITCHES = [] if sys.version_info >= (3, 12) else ["--no-format-positions"]


def answer(question: Callable[[bytes, str], str], data: bytes) -> str | None:
    """CPython's answer about a file, None for a file that it rejects."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return question(data, "file.py")
    except (SyntaxError, ValueError) as error:
        if oracle_worker.is_fault(error):
            pytest.skip("a fault of this CPython: it has no tree for its own reading")
        return None


def tree_of(data: bytes) -> str | None:
    """The dump of the tree, None for a file that is rejected."""
    return answer(oracle_worker.dump_of, data)


def symbols_of(data: bytes) -> str | None:
    """The symbol tables as JSON, None for a file that is rejected."""
    return answer(oracle_worker.symbols_of, data)


def graphmend_lines(executable: str, stage: Sequence[str], paths: Sequence[Path], target: str = TARGET) -> list[str]:
    """graphmend's line for each file, for all versions where the target is empty."""
    versions = ["--target", target] if target else []
    done = subprocess.run([executable, "debug", *stage, *versions, *map(str, paths)], capture_output=True)
    assert done.returncode in (0, 1), done.stderr[-2000:]
    lines = done.stdout.decode("utf-8", "surrogatepass").split("\n")[:-1]
    assert len(lines) == len(paths), done.stderr[-2000:]
    return lines


def graphmend_trees(executable: str, paths: Sequence[Path]) -> list[str]:
    """graphmend's tree for each file."""
    return graphmend_lines(executable, ["tree", "--cpython", *SWITCHES], paths)


def graphmend_symbols(executable: str, paths: Sequence[Path]) -> list[str]:
    """graphmend's symbol tables for each file."""
    return graphmend_lines(executable, ["scopes", "--symtable"], paths)


def difference(data: bytes, line: str) -> str | None:
    """Why graphmend's tree of a file is wrong, None when it is right."""
    tree = tree_of(data)
    if tree == line or (tree is None and line.startswith("rejected ")):
        return None
    return f"{data!r}\nCPython:   {tree}\ngraphmend: {line}"


def standard_files(number: int) -> list[Path]:
    """Some files of the standard library, the same ones each time."""
    files = [path for path in sorted(STDLIB.rglob("*.py")) if "site-packages" not in path.parts]
    return random.Random(0).sample(files, number)


def graphmend_names(executable: str, path: Path) -> dict[int, list[str]]:
    """The names among the tokens, by the line on which they start."""
    done = subprocess.run([executable, "debug", "tokens", str(path)], capture_output=True)
    found: dict[int, list[str]] = {}
    for line, text in re.findall(r'^(\d+):\S+ name (".*")$', done.stdout.decode("utf-8", "surrogatepass"), re.M):
        found.setdefault(int(line), []).append(json.loads(text))
    return found
