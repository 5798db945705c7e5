"""Child processes of a mended program are mended too, and the first process reports the breaks of all.

    subprocess.run([sys.executable, "train.py"])    # the child has a `sitecustomize` of graphmend in front
    multiprocessing.Process(target=train).start()   # spawn, forkserver: the same; fork: the child has the hook already

Python reads `PYTHONPATH` at its start and imports `sitecustomize` from there. A child that is a Python gets a folder in
front of `PYTHONPATH` whose `sitecustomize` calls `begin`. `begin` restores the environment: `sys.path` and `os.environ`
of the child equal those of a plain run. The environment of the parent never changes.

Python starts programs only in `_posixsubprocess.fork_exec`: `subprocess`, `multiprocessing` (spawn and forkserver),
loky and their users (torchrun, accelerate, DataLoader workers, joblib) end there. Children of a parent that is no
Python, such as Ray's, are mended if the parent passes them `environment()`.

Each process of a job leaves a report in a folder of the job, and the first process adds the reports to its summary.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any, Callable, Optional

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bootstrap")
PATH, JOB, OLD_PATH = "PYTHONPATH", "GRAPHMEND_JOB", "GRAPHMEND_OLD_PYTHONPATH"
IGNORES = "EIS"  # options of Python with which it reads no `PYTHONPATH`, or no `sitecustomize`
MOST_BYTES, MOST_REPORTS = 4 << 20, 1024


class State:
    """The job of this process."""

    def __init__(self) -> None:
        self.active = False
        self.folder: Optional[str] = None  # the folder of the job, made at the start of the first child
        self.first = True  # whether this process began the job
        self.start: Optional[Callable[..., int]] = None  # Python's own `fork_exec`
        self.told = False  # whether this process reports at its end and removes the folder
        self.ignoring: dict[str, None] = {}  # children that read no environment
        self.inherited: Optional[bytes] = None  # the parent's report at the fork of this process
        self.report: Callable[[], Optional[dict[str, Any]]] = lambda: None


state = State()


def job_folder() -> str:
    """The folder of this job, which only its user can read."""
    if state.folder is None:
        state.folder = tempfile.mkdtemp(prefix="graphmend-job-")
        if not state.told:
            atexit.register(end)
    return state.folder


def environment(given: Optional[Mapping[str, str]] = None) -> dict[str, str]:
    """Environment variables for a Python that starts in any way: the Python is mended and reports to this process.

    For programs that start Pythons without `subprocess` and `multiprocessing`.
    """
    old = (os.environ if given is None else given).get(PATH)
    if old is None:
        return {PATH: FOLDER, JOB: job_folder()}
    if FOLDER in old.split(os.pathsep):
        return {}
    return {PATH: FOLDER + os.pathsep + old if old else FOLDER, JOB: job_folder(), OLD_PATH: old}


def is_python(program: str) -> bool:
    """Whether a program is an interpreter of Python, or a script for one."""
    if os.path.basename(program).startswith("python") or os.path.realpath(program) == os.path.realpath(sys.executable):
        return True
    try:
        with open(program, "rb") as stream:
            line = stream.readline(256) if stream.read(2) == b"#!" else b""
    except OSError:
        return False
    return any(os.path.basename(word).startswith(b"python") for word in line.split())


def ignores_environment(arguments: Any) -> Optional[str]:
    """The option by which a Python ignores its environment; None without the option."""
    for argument in map(os.fsdecode, list(arguments)[1:]):
        if argument in ("-c", "-m", "-") or not argument.startswith("-"):
            return None
        if not argument.startswith("--") and any(letter in IGNORES for letter in argument[1:].partition("W")[0]):
            return argument
    return None


def with_variables(arguments: Any, programs: Any, given: Any) -> Any:
    """The environment of a child with graphmend's variables added, in the form of `fork_exec`."""
    program = next((os.fsdecode(path) for path in programs if os.path.exists(path)), None)
    if program is None or not is_python(program):
        return given
    option = ignores_environment(arguments)
    if option is not None:
        state.ignoring[f"a child process was started by `python {option}`, which reads no environment"] = None
        return given
    rows = given if given is not None else [name + b"=" + value for name, value in os.environb.items()]
    known = dict(os.fsdecode(row).partition("=")[::2] for row in rows)
    added = {os.fsencode(name): os.fsencode(value) for name, value in environment(known).items()}
    kept = [row for row in rows if row.partition(b"=")[0] not in added]
    return [*kept, *(name + b"=" + value for name, value in added.items())]


def fork_exec(arguments: Any, programs: Any, close: Any, kept: Any, folder: Any, variables: Any, *rest: Any) -> int:
    """`_posixsubprocess.fork_exec` for children that are mended, too."""
    assert state.start is not None
    try:
        if state.active:
            variables = with_variables(arguments, programs, variables)
    except Exception as error:
        from graphmend import hook

        hook.warn("a child process is not mended", error)
    return state.start(arguments, programs, close, kept, folder, variables, *rest)


def install(report: Callable[[], Optional[dict[str, Any]]]) -> None:
    """Mend the children of this process; `report` returns the report that each process of the job leaves behind."""
    state.active, state.report = True, report
    if state.start is not None:
        return
    try:
        import _posixsubprocess
    except ImportError:  # on platforms without `fork_exec`
        return
    state.start = _posixsubprocess.fork_exec
    _posixsubprocess.fork_exec = fork_exec
    subprocess = sys.modules.get("subprocess")
    if getattr(subprocess, "_fork_exec", None) is state.start:
        subprocess._fork_exec = fork_exec  # type: ignore[union-attr]
    os.register_at_fork(before=_forking, after_in_child=_forked)


def uninstall() -> None:
    """Start children without graphmend again."""
    state.active = False


def begin() -> None:
    """Mend this process, a child that found our `sitecustomize`."""
    job, old = os.environ.pop(JOB, None), os.environ.pop(OLD_PATH, None)
    del os.environ[PATH]
    if old is not None:
        os.environ[PATH] = old
    sys.path[:] = [folder for folder in sys.path if folder != FOLDER]
    if job is None or not os.path.isdir(job):
        return
    from graphmend import hook

    state.folder, state.first = job, False
    hook.install(summary=True)


def _forking() -> None:
    """Before a fork: make the folder for the report of the child, once there may be a report."""
    if state.active and "torch" in sys.modules:
        with contextlib.suppress(OSError):
            job_folder()


def _forked() -> None:
    """In a forked child: the child is not the first process, and ends without exit handlers as a worker does."""
    state.first = False
    state.inherited = written(state.report()) if state.active else None
    util = sys.modules.get("multiprocessing.util")
    if state.active and util is not None:
        util.register_after_fork(state, lambda _: util.Finalize(None, leave_report, exitpriority=-1000))


def written(report: Optional[dict[str, Any]]) -> Optional[bytes]:
    """A report in the form that the first process reads; None where nothing was compiled."""
    return json.dumps(report).encode() if report is not None and report["callables"] else None


def leave_report() -> None:
    """Write the report of this process into the folder of the job."""
    if state.folder is None or state.first:
        return
    try:
        data = written(state.report())
        if data is None or data == state.inherited:
            return
        name = os.path.join(state.folder, f"{os.getpid()}.json")
        descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
        with open(descriptor, "wb") as stream:
            stream.write(data)
    except (OSError, ValueError, TypeError):
        pass  # the folder is gone with the first process, or this process has told already


def reports() -> Iterator[dict[str, Any]]:
    """The reports that the job's further processes have left."""
    if state.folder is None:
        return
    for name in sorted(os.listdir(state.folder))[:MOST_REPORTS]:
        try:
            with open(os.path.join(state.folder, name), "rb") as stream:
                yield json.loads(stream.read(MOST_BYTES))
        except (OSError, ValueError):
            continue


def end() -> None:
    """Remove the folder of the job."""
    if state.folder is not None and state.first:
        shutil.rmtree(state.folder, ignore_errors=True)
        state.folder = None
