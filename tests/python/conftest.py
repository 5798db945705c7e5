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

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "work"
        self.folder.mkdir()
        self.cache = folder / "cache"
        beside = Path(sys.executable).with_name("graphmend")
        found = str(beside) if beside.exists() else shutil.which("graphmend")
        assert found, "graphmend is not installed: run `make build`"
        self.executable = found

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
            **environment,
        }
        done = subprocess.run(command, cwd=self.folder, env=settings, input=stdin, capture_output=True, text=True)
        return Ended(done.returncode, *(self._neutral(text) for text in (done.stdout, done.stderr)))

    @staticmethod
    def _neutral(text: str) -> str:
        """`python` and `python3` of one environment are the same interpreter."""
        folder = os.path.dirname(sys.executable)
        for name in ("python3", "python"):
            text = text.replace(os.path.join(folder, name), "PYTHON")
        return text

    def plain(self, *arguments: str, **options: str) -> Ended:
        return self.start(sys.executable, *arguments, **options)

    def mended(self, *arguments: str, **options: str) -> Ended:
        return self.start(self.executable, "run", *arguments, **options)


@pytest.fixture
def programs(tmp_path: Path) -> Programs:
    return Programs(tmp_path)
