"""Programs on hostile input, with limits of memory and CPU time that the operating system keeps."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def _limit() -> None:
    for kind, most in ((resource.RLIMIT_AS, 3 << 30), (resource.RLIMIT_CPU, 30)):
        resource.setrlimit(kind, (most, most))


def run(command: Sequence[str], text: str = "", folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The command, ended by a signal where it takes 3 GiB or 30 seconds of CPU time.

    The sanitizers reserve terabytes: they get no limit.
    """
    sanitized = "sanitize" in command[0]
    limits = None if sanitized else _limit
    return subprocess.run(
        command, input=text, text=True, capture_output=True, cwd=folder, preexec_fn=limits, check=False
    )


def run_python(program: str, text: str) -> subprocess.CompletedProcess[str]:
    """A program of ours, fed with a text."""
    return run([sys.executable, "-c", program], text)
