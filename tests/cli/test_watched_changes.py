"""`check --watch` reports again for every change of a file that a person can make, and for each of them alone."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path
from typing import Any, Callable

import pytest
from watching import next_report

BREAKS = "def f(x):\n    return x.item()\n"
OTHERS = "def f(x):\n    return x.mean()\n"
FIRST, AN_HOUR = 1_700_000_000_000_000_000, 3_600_000_000_000  # nanoseconds


def times(path: Path, later: int = 0) -> None:
    os.utime(path, ns=(FIRST, FIRST + later))


def written(path: Path) -> None:
    """Another text of the same length, in the same file."""
    path.write_text(OTHERS)
    times(path, AN_HOUR)


def longer(path: Path) -> None:
    """A longer text of the same time."""
    path.write_text(f"{OTHERS}\n")
    times(path)


def replaced(path: Path) -> None:
    """Another file of the same length and time, as some editors leave one."""
    other = path.with_suffix(".new")
    other.write_text(OTHERS)
    times(other)
    other.replace(path)


def renamed(path: Path) -> None:
    path.rename(path.with_name("b.py"))


def removed(path: Path) -> None:
    path.unlink()


def added(path: Path) -> None:
    path.with_name("b.py").write_text(OTHERS)


CHANGES: dict[Callable[[Path], None], str] = {
    written: "no findings in 1 file\n",
    longer: "no findings in 1 file\n",
    replaced: "no findings in 1 file\n",
    renamed: "b.py",
    removed: "",
    added: "of 2 files",
}


@pytest.mark.parametrize("change", CHANGES)
def test_changes(cli: Any, change: Callable[[Path], None]) -> None:
    assert len(BREAKS) == len(OTHERS)
    path = cli.write("a.py", BREAKS)
    times(path)
    command = [cli.executable, "check", "--watch", "--no-cache", "--all", "."]
    with subprocess.Popen(command, cwd=cli.folder, stdout=subprocess.PIPE, text=True) as process:
        ending = threading.Timer(60, process.kill)  # a change that goes unseen is never reported
        ending.start()
        try:
            assert "GM201" in next_report(process)
            change(path)
            assert CHANGES[change] in next_report(process)
        finally:
            ending.cancel()
            process.kill()
