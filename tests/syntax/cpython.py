"""What the Python that runs the tests makes of a file, and what graphmend says that it makes."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import pytest

if sys.version_info < (3, 9):
    pytest.skip("trees are compared from 3.9 on", allow_module_level=True)

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import oracle_worker  # noqa: E402

TARGET = f"3.{sys.version_info[1]}"
# Positions inside f-strings are CPython's own mistake before 3.12.
SWITCHES = [] if sys.version_info >= (3, 12) else ["--no-format-positions"]


def tree_of(data: bytes) -> str | None:
    """The dump of the tree, None for a file that is rejected."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return oracle_worker.dump_of(data, "file.py")
    except (SyntaxError, ValueError):
        return None


def graphmend_trees(executable: str, paths: Sequence[Path]) -> list[str]:
    """graphmend's line for each file."""
    command = [executable, "debug", "tree", "--cpython", "--target", TARGET, *SWITCHES, *map(str, paths)]
    done = subprocess.run(command, capture_output=True)
    assert done.returncode in (0, 1), done.stderr[-2000:]
    lines = done.stdout.decode("utf-8", "surrogatepass").split("\n")[:-1]
    assert len(lines) == len(paths), done.stderr[-2000:]
    return lines


def difference(data: bytes, line: str) -> str | None:
    """Why graphmend's line for a file is wrong, None when it is right."""
    tree = tree_of(data)
    if tree == line or (tree is None and line.startswith("rejected ")):
        return None
    return f"{data!r}\nCPython:   {tree}\ngraphmend: {line}"
