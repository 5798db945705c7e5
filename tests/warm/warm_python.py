"""Fixtures with a `python` that begins with torch in memory (client.py says how), one for each worker."""

from __future__ import annotations

import contextlib
import importlib.util
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


def instructions() -> list[str]:
    """The instruction sets that inductor may use here: those that the compiler has built a library for."""
    from torch._inductor import cpu_vec_isa

    listed = cpu_vec_isa.valid_vec_isa_list
    return [str(each) for each in getattr(listed, "__wrapped__", listed)()]


@pytest.fixture(scope="session")
def instructions_known() -> Iterator[None]:
    """The compiler is tried once, and processes with caches of their own do not try it again.

    For each new cache, inductor builds ten libraries to see which instructions the compiler knows, which takes 8 s of
    the processor. Where the compiler knows all instructions of this machine, those processes are told so.
    """
    with pytest.MonkeyPatch.context() as patch:
        if importlib.util.find_spec("torch"):
            from torch._inductor import config

            with config.patch({"cpp.vec_isa_ok": True}):
                wanted = instructions()
            if "TORCHINDUCTOR_VEC_ISA_OK" not in os.environ and wanted and instructions() == wanted:
                patch.setenv("TORCHINDUCTOR_VEC_ISA_OK", "1")
        yield


@pytest.fixture(scope="session")
def warm_python(instructions_known: None) -> Iterator[str]:
    """An executable that starts programs as tests start them."""
    with started() as python:
        yield python


@pytest.fixture(scope="session")
def verifying(instructions_known: None) -> Iterator[dict[str, str]]:
    """The environment in which `graphmend verify` and the programs that it runs begin with torch in memory."""
    from graphmend.verify import processes

    read_early = ("TORCH", "PYTHON")
    variables = {name: text for name, text in processes.environment("", "").items() if name.startswith(read_early)}
    with started(**variables) as python:
        yield {**os.environ, "OMP_NUM_THREADS": "1", **variables, "GRAPHMEND_PYTHON": python, "WARM_CHILDREN": "1"}
