"""Programs on hostile input, with limits of memory and CPU time that the operating system keeps."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def run(
    command: Sequence[str], text: str = "", folder: Path | None = None, megabytes: int = 3072, seconds: int = 30
) -> subprocess.CompletedProcess[str]:
    """The command, ended by a signal where it takes that much memory or CPU time.

    The sanitizers reserve terabytes: they get no limit.
    """

    def limit() -> None:
        for kind, most in ((resource.RLIMIT_AS, megabytes << 20), (resource.RLIMIT_CPU, seconds)):
            resource.setrlimit(kind, (most, most))

    limits = None if "sanitize" in command[0] else limit
    return subprocess.run(
        command, input=text, text=True, capture_output=True, cwd=folder, preexec_fn=limits, check=False
    )


def run_python(program: str, text: str) -> subprocess.CompletedProcess[str]:
    """A program of ours, fed with a text."""
    return run([sys.executable, "-c", program], text)
