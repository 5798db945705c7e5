"""Running `graphmend fix`, and a file that it changes."""

from __future__ import annotations

import dataclasses
import subprocess
from pathlib import Path

BEFORE = """import torch


@torch.compile
def f(x: torch.Tensor):
    if x.mean() > 0:
        y = x * 2
    else:
        y = x * 3
    return y
"""
AFTER = """import torch


@torch.compile
def f(x: torch.Tensor):
    y = torch.where(x.mean() > 0, x * 2, x * 3)
    return y
"""


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
