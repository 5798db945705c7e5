"""Fixtures with a `python` that begins with torch in memory (client.py says how), one for each worker."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@contextlib.contextmanager
def started(**environment: str) -> Iterator[str]:
    """The path of an executable; the process behind it, with variables of its own, ends with the block."""
    with tempfile.TemporaryDirectory() as folder:  # not that of the test: names of sockets must be short
        python = Path(folder, "python")
        python.write_text(f"#!{sys.executable} -IS\n{HERE.joinpath('client.py').read_text()}")
        python.chmod(0o700)
        command = [sys.executable, str(HERE / "main.py"), f"{folder}/socket"]
        settings = {**os.environ, "OMP_NUM_THREADS": "1", **environment}
        with subprocess.Popen(command, env=settings, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
            while not Path(folder, "socket").exists():
                assert process.poll() is None
                time.sleep(0.05)
            yield str(python)
            process.kill()


@pytest.fixture(scope="session")
def warm_python() -> Iterator[str]:
    """An executable that starts programs as tests start them."""
    with started() as python:
        yield python


@pytest.fixture(scope="session")
def verifying() -> Iterator[dict[str, str]]:
    """The environment in which `graphmend verify` and the programs that it runs begin with torch in memory."""
    from graphmend.verify import processes

    read_early = ("TORCH", "PYTHON")
    variables = {name: text for name, text in processes.environment("", "").items() if name.startswith(read_early)}
    with started(**variables) as python:
        yield {**os.environ, "OMP_NUM_THREADS": "1", **variables, "GRAPHMEND_PYTHON": python, "WARM_CHILDREN": "1"}
