"""What the tests of attacks share: a user who is somebody else, and runs with limits of memory and of CPU seconds."""

from __future__ import annotations

import dataclasses
import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

NOBODY = 65534
CPU_SECONDS = 60
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="ALOUD: attacks by another user: only root can be two users")


@dataclasses.dataclass
class Ended:
    status: int
    out: str
    err: str


def is_sanitized(program: str) -> bool:
    """Whether a program takes terabytes of addresses for its own bookkeeping: then only its CPU seconds are limited."""
    return program != sys.executable and b"__asan_init" in Path(program).read_bytes()


def run(command: Sequence[str], folder: Path, megabytes: int = 1024, user: int | None = None, **settings: str) -> Ended:
    """Run a command with limits, as somebody else where that is asked for."""
    limit = None if is_sanitized(command[0]) else megabytes << 20

    def prepare() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        if user is not None:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)

    environment = {name: value for name, value in os.environ.items() if name != "GITHUB_ACTIONS"}
    ended = subprocess.run(
        command,
        cwd=folder,
        env={**environment, "GRAPHMEND_PYTHON": sys.executable, **settings},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=600,
        preexec_fn=prepare,
    )
    return Ended(ended.returncode, ended.stdout.decode(), ended.stderr.decode())


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Mode and contents of all files, through no link."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]
    return {str(path.relative_to(folder)): (path.stat().st_mode, path.read_bytes()) for path in files}
