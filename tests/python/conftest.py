"""Running programs plain and under `graphmend run`, in processes of their own."""

from __future__ import annotations

import dataclasses
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


@dataclasses.dataclass
class Ended:
    """How a process ended; its own interpreter's path is taken out of the texts."""

    status: int
    out: str
    err: str


class Programs:
    """Runs programs of one test: files in a folder, a cache of its own."""

    def __init__(self, folder: Path, python: str) -> None:
        self.folder = folder / "work"
        self.folder.mkdir()
        self.cache = folder / "cache"
        beside = Path(sys.executable).with_name("graphmend")
        found = str(beside) if beside.exists() else shutil.which("graphmend")
        assert found, "graphmend is not installed: run `make build`"
        self.executable = found
        self.python = python

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def start(self, *command: str, stdin: str = "", **environment: str) -> Ended:
        settings = {
            **os.environ,
            "GRAPHMEND_CACHE_DIR": str(self.cache),
            "PYTHONDONTWRITEBYTECODE": "",
            "NO_COLOR": "1",
            **({} if self.python == sys.executable else {"GRAPHMEND_PYTHON": self.python}),
            **environment,
        }
        done = subprocess.run(command, cwd=self.folder, env=settings, input=stdin, capture_output=True, text=True)
        return Ended(done.returncode, *(self._neutral(text) for text in (done.stdout, done.stderr)))

    def _neutral(self, text: str) -> str:
        """`python` and `python3` of one environment are the same interpreter."""
        folder = os.path.dirname(sys.executable)
        for name in (os.path.join(folder, "python3"), os.path.join(folder, "python"), self.python):
            text = text.replace(name, "PYTHON")
        return text

    def plain(self, *arguments: str, **options: str) -> Ended:
        return self.start(self.python, *arguments, **options)

    def mended(self, *arguments: str, **options: str) -> Ended:
        return self.start(self.executable, "run", *arguments, **options)


@pytest.fixture
def cold_programs(tmp_path: Path) -> Programs:
    """Each program has an interpreter of its own, for tests of how Python and torch start."""
    return Programs(tmp_path, sys.executable)


@pytest.fixture
def warm_programs(tmp_path: Path, warm_python: str) -> Programs:
    """Each program begins with torch in memory, which saves most of its time."""
    return Programs(tmp_path, warm_python)


@pytest.fixture
def programs(cold_programs: Programs) -> Programs:
    return cold_programs
