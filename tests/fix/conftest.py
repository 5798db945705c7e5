"""Fixing text with the executable under test."""

from __future__ import annotations

import dataclasses
import subprocess
from pathlib import Path
from typing import Callable

import pytest


@dataclasses.dataclass
class Ended:
    status: int
    out: str
    err: str


class Command:
    """`graphmend fix` in a folder of its own."""

    def __init__(self, executable: str, folder: Path) -> None:
        self.executable = executable
        self.folder = folder

    def __call__(self, *arguments: str, command: str = "fix") -> Ended:
        done = subprocess.run([self.executable, command, *arguments], cwd=self.folder, capture_output=True)
        return Ended(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))

    def write(self, name: str, data: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path


@pytest.fixture
def fix(executable: str, tmp_path: Path) -> Command:
    return Command(executable, tmp_path)


@pytest.fixture
def fixed(fix: Command) -> Callable[..., str]:
    """The text of a file in the source dialect; nothing may be said on stderr."""

    def run(text: str, *arguments: str) -> str:
        path = fix.write("case.py", text)
        ended = fix(*arguments, str(path))
        assert ended.status in (0, 1) and ended.err == "", ended
        return path.read_text(encoding="utf-8")

    return run
