"""Runs of the program, each in a separate process with a time limit, and their ends."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import time
from typing import Any, Optional

from .child import STACKS
from .settings import Settings

# As `graphmend run` starts Python: nothing in the current folder can stand in for our own package.
BOOTSTRAP = (
    "import sys\n"
    "if not getattr(sys.flags, 'safe_path', False):\n"
    "    del sys.path[0]\n"
    "from graphmend.verify.child import main\n"
    "main(sys.argv[1], sys.argv[2:])\n"
)
ENDED, TIMEOUT, SIGNAL, NOT_RUN = "ended", "timeout", "signal", "not run"
LAST_LINES = 20
HERE = os.path.dirname(os.path.abspath(__file__))
OURS = ('File "<string>"', f'File "{HERE}{os.sep}', f'File "{os.path.dirname(HERE)}{os.sep}launch.py"')
STACK_PATIENCE = 2.0  # seconds for a hanging process to write its stack


@dataclasses.dataclass
class Ended:
    """How one run ended."""

    name: str
    folder: str
    outcome: str = NOT_RUN
    exit_status: Optional[int] = None
    signal: Optional[str] = None
    seconds: Optional[float] = None

    def read(self, name: str) -> str:
        """The text of a file in the folder of the process."""
        try:
            with open(os.path.join(self.folder, name), "rb") as stream:
                return stream.read().decode("utf-8", "replace")
        except OSError:
            return ""

    def last_lines(self) -> list[str]:
        """The last lines of standard error."""
        return self.read("stderr").splitlines()[-LAST_LINES:]

    def stack(self) -> list[str]:
        """The stack at the kill or crash: lines of the program, innermost first."""
        lines = [line.strip() for line in self.read(STACKS).splitlines()]
        return [line for line in lines if line.startswith("File ") and not line.startswith(OURS)][:LAST_LINES]


def environment(folder: str, kernels: Optional[str]) -> dict[str, str]:
    """The environment of a run.

    Each run compiles alone, and the first calls of two runs are comparable. With a folder for `kernels`, runs
    share inductor's machine code for equal source texts, and each run lowers all graphs.
    """
    cache = kernels or os.path.join(folder, "compiled")
    changed = {
        "TORCHINDUCTOR_FX_GRAPH_CACHE": "0",
        "TORCHINDUCTOR_AUTOGRAD_CACHE": "0",
        "GRAPHMEND_EVIDENCE": "0",
        "PYTHONHASHSEED": "0",
        "TORCHINDUCTOR_CACHE_DIR": cache,
        "TRITON_CACHE_DIR": os.path.join(cache, "triton"),
    }
    kept = {name: value for name, value in os.environ.items() if name != "GRAPHMEND"}
    return {**kept, **changed}


def end_group(process: subprocess.Popen[bytes], number: int) -> None:
    """Send a signal to a process and all descendants."""
    try:
        os.killpg(process.pid, number)
    except (ProcessLookupError, PermissionError):
        pass


def wait(process: subprocess.Popen[bytes], limit: Optional[float]) -> bool:
    """Whether a process ended in time. A late process writes a stack and is killed."""
    try:
        process.wait(limit)
        return True
    except subprocess.TimeoutExpired:
        try:
            os.kill(process.pid, signal.SIGUSR2)
            time.sleep(STACK_PATIENCE)
        except ProcessLookupError:
            pass
        return False
    finally:
        end_group(process, signal.SIGKILL)
        process.wait()


def run(
    name: str, settings: Settings, arguments: list[str], folder: str, limit: float, kernels: Optional[str] = None
) -> Ended:
    """Run the program once, in a folder for its record; `limit` is in seconds, 0 for none."""
    os.mkdir(folder)
    settings.save(folder)
    ended = Ended(name, folder)
    command: list[Any] = [sys.executable, *flags(), "-c", BOOTSTRAP, folder, *arguments]
    started = time.monotonic()
    with open(os.path.join(folder, "stdout"), "wb") as out, open(os.path.join(folder, "stderr"), "wb") as err:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            env=environment(folder, kernels),
            start_new_session=True,
        )
        in_time = wait(process, limit or None)
    ended.seconds = time.monotonic() - started
    status = process.returncode
    if not in_time:
        ended.outcome, ended.seconds = TIMEOUT, limit
    elif status < 0:
        ended.outcome, ended.signal = SIGNAL, signal_name(-status)
    else:
        ended.outcome, ended.exit_status = ENDED, status
    return ended


def flags() -> list[str]:
    """The options of this interpreter for the program."""
    found: list[str] = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
    return found


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
