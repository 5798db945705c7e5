"""Running the executable in a folder of its own."""

from __future__ import annotations

import dataclasses
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

NOBODY = 65534


@dataclasses.dataclass
class Ended:
    status: int
    out: str
    err: str


class Cli:
    """The executable, run in `folder`."""

    def __init__(self, executable: str, folder: Path) -> None:
        self.executable = executable
        self.folder = folder
        self.user: int | None = None

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def __call__(self, *arguments: str, **environment: str) -> Ended:
        done = subprocess.run(
            [self.executable, *arguments],
            cwd=self.folder,
            env={
                "GRAPHMEND_PYTHON": sys.executable,
                **os.environ,
                "GRAPHMEND_CACHE_DIR": f"{self.folder}-cache",
                **environment,
            },
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=120,
            preexec_fn=None if self.user is None else self._become_user,
        )
        return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())

    def _become_user(self) -> None:
        assert self.user is not None
        os.setgroups([])
        os.setgid(self.user)
        os.setuid(self.user)

    def snapshot(self) -> dict[str, tuple[int, bytes]]:
        """Mode and contents of every file in the folder."""
        paths = [path for path in sorted(self.folder.rglob("*")) if path.is_file()]
        return {str(path.relative_to(self.folder)): (path.stat().st_mode, path.read_bytes()) for path in paths}


@pytest.fixture
def cli(executable: str, tmp_path: Path) -> Cli:
    return Cli(executable, tmp_path)


@pytest.fixture
def limited_cli(executable: str) -> Iterator[Cli]:
    """The same for a user whom file modes bind: the superuser may read and write everything, so it steps down."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = Cli(executable, folder / "work")
        made.folder.mkdir()
        if os.geteuid() == 0:
            made.executable = str(shutil.copy2(executable, folder / "graphmend"))
            made.user = NOBODY
            folder.chmod(0o755)
            os.chown(made.folder, NOBODY, NOBODY)
        yield made
