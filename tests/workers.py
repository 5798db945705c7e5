"""Tests in several processes that are forked from one, by file: `pytest --workers 2`.

The parent collects all tests, and so imports torch and every test file once. Then it forks the workers. A worker asks
for a file, runs its tests in their order, and sends their reports; the parent gives them to pytest's own hooks. So the
output, its last line included, is that of one process.

Threads of OpenMP do not survive a fork, and a worker would wait for them without end. So the parent must have one
thread: `OMP_NUM_THREADS=1`, which `make test` sets, is asked for before the workers are forked.

A worker may die, for a test can end its process. Its death is a failure of the test that ran; another worker, forked
like the first, runs the tests behind it. A worker that sends nothing for HANG_SECONDS is killed, and counts as dead.
"""

from __future__ import annotations

import dataclasses
import gc
import os
import signal
import sys
import time
import warnings
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from typing import Any, Optional

import pytest

HANG_SECONDS = 1800
POLL_SECONDS = 1.0
ROOT = Path(__file__).parent.parent
# Files that take long, with their seconds in `pytest --durations`; of the tests of other files, each takes so long.
SLOW_FILES, SECONDS_OF_A_TEST = Path(__file__).with_name("slow_files.txt"), 0.15


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--workers", type=int, default=0, help="run the tests in so many processes, by file")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> Optional[bool]:
    """Run the tests in workers, where more than one is wanted."""
    options = session.config.option
    failed = session.testsfailed and not options.continue_on_collection_errors
    if options.workers < 2 or options.collectonly or options.usepdb or failed:
        return None
    torch = sys.modules.get("torch")
    if torch is not None and torch.get_num_threads() > 1:
        raise pytest.UsageError("--workers needs OMP_NUM_THREADS=1: threads of OpenMP do not survive a fork")
    Pool(session, options.workers).run()
    return True


def seconds_of_files() -> dict[Path, float]:
    """The seconds of slow files; a file that is gone does no harm."""
    rows = (line.split(maxsplit=1) for line in SLOW_FILES.read_text(encoding="utf-8").splitlines())
    return {ROOT / name: float(seconds) for seconds, name in rows}


def by_file(items: list[pytest.Item]) -> list[list[pytest.Item]]:
    """The tests of each file, the longest first: so no worker is left alone with a long one at the end."""
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    slow = seconds_of_files()
    return sorted(files.values(), key=lambda tests: -max(slow.get(tests[0].path, 0), SECONDS_OF_A_TEST * len(tests)))


@dataclasses.dataclass
class Worker:
    """A worker as the parent sees it: its process, the line to it, the tests that it still has to run."""

    number: int
    process: int
    line: Connection
    tests: list[pytest.Item] = dataclasses.field(default_factory=list)
    heard: float = 0.0  # when it last sent something
    running: Optional[pytest.Item] = None
    status: Optional[int] = None  # of its end


class Pool:
    """The workers of one run."""

    def __init__(self, session: pytest.Session, size: int) -> None:
        self.session = session
        self.size = size
        self.files = by_file(session.items)
        self.workers: list[Worker] = []
        self.started = 0
        self.folder = session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]

    def run(self) -> None:
        """Run all files; ends early where pytest wants to stop."""
        self.workers = [self.start(self.files.pop(0)) for _ in range(min(self.size, len(self.files)))]
        try:
            while self.workers:
                ready = wait([worker.line for worker in self.workers], POLL_SECONDS)
                for worker in list(self.workers):
                    self.attend(worker, worker.line in ready)
                if self.session.shouldfail:
                    raise self.session.Failed(self.session.shouldfail)
                if self.session.shouldstop:
                    raise self.session.Interrupted(self.session.shouldstop)
        finally:
            for worker in self.workers:
                if worker.status is None:
                    os.kill(worker.process, signal.SIGKILL)
                    os.waitpid(worker.process, 0)

    def start(self, tests: list[pytest.Item]) -> Worker:
        """Fork a worker, and give it tests of one file."""
        here, there = Pipe()
        self.started += 1
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", DeprecationWarning
            )  # of forks beside threads: those of OpenBLAS know of forks
            process = os.fork()
        if process == 0:
            here.close()
            for other in self.workers:
                other.line.close()
            run_worker(self.session, there, self.folder / f"worker{self.started}")
        there.close()
        worker = Worker(self.started, process, here)
        self.hand_out(worker, tests)
        return worker

    def hand_out(self, worker: Worker, tests: list[pytest.Item]) -> None:
        """Give a worker tests to run; none ends it."""
        worker.tests, worker.running, worker.heard = list(tests), None, time.monotonic()
        try:
            worker.line.send([self.session.items.index(test) for test in tests])
        except OSError:  # it is dead, which the next look at it shows
            pass

    def attend(self, worker: Worker, ready: bool) -> None:
        """Take one message of a worker, or find that the worker is dead."""
        if ready or worker.line.poll():
            try:
                message = worker.line.recv()
            except (EOFError, OSError):
                self.bury(worker)
            else:
                self.take(worker, message)
        elif worker.status is not None:
            self.bury(worker)  # its line is open in a process that it has left behind
        else:
            if time.monotonic() - worker.heard > HANG_SECONDS:
                os.kill(worker.process, signal.SIGKILL)
            ended, status = os.waitpid(worker.process, os.WNOHANG)
            worker.status = status if ended else None

    def take(self, worker: Worker, message: tuple[str, Any]) -> None:
        """Act on a message: a test has begun, a report is there, or all tests of a file have ended."""
        kind, content = message
        worker.heard = time.monotonic()
        hook = self.session.config.hook
        if kind == "begins":
            worker.running = worker.tests.pop(0)
            hook.pytest_runtest_logstart(nodeid=worker.running.nodeid, location=worker.running.location)
        elif kind == "report":
            report = hook.pytest_report_from_serializable(config=self.session.config, data=content)
            hook.pytest_runtest_logreport(report=report)
        else:
            self.hand_out(worker, self.files.pop(0) if self.files else [])
            if not worker.tests:
                os.waitpid(worker.process, 0)
                self.workers.remove(worker)

    def bury(self, worker: Worker) -> None:
        """Report the death of a worker as a failure of its test, and have another worker run the tests behind it."""
        self.workers.remove(worker)
        status = os.waitpid(worker.process, 0)[1] if worker.status is None else worker.status
        test = worker.running or worker.tests.pop(0)
        cause = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"status {os.WEXITSTATUS(status)}"
        report = pytest.TestReport(
            test.nodeid, test.location, {}, "failed", f"the process of this test ended with {cause}", "call"
        )
        self.session.config.hook.pytest_runtest_logreport(report=report)
        tests = worker.tests or (self.files.pop(0) if self.files else [])
        if tests:
            self.workers.append(self.start(tests))


def run_worker(session: pytest.Session, line: Connection, folder: Path) -> None:
    """Run files as they come, in a forked process, which ends here."""
    status = 1
    try:
        settle_in(session.config, folder)
        session.config.pluginmanager.register(Messenger(session.config, line))
        while numbers := line.recv():
            tests = [session.items[number] for number in numbers]
            for test, following in zip(tests, [*tests[1:], None]):
                line.send(("begins", None))
                test.config.hook.pytest_runtest_protocol(item=test, nextitem=following)
            line.send(("ended", None))
            gc.collect()
            gc.freeze()  # what a file leaves behind is not looked through in collections that later tests make
        status = 0
    finally:
        os._exit(status)


def settle_in(config: pytest.Config, folder: Path) -> None:
    """Give a worker streams and a folder of its own, for it shares positions in open files with its parent."""
    manager = config.pluginmanager.getplugin("capturemanager")
    if manager is not None:
        manager.stop_global_capturing()
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)  # where its terminal reporter writes; the parent's tells everything
    os.close(nowhere)
    if manager is not None:
        manager.start_global_capturing()
        manager.suspend_global_capture()
    folder.mkdir()
    config._tmp_path_factory._basetemp = folder  # type: ignore[attr-defined]


class Messenger:
    """The plugin of a worker that sends its reports."""

    def __init__(self, config: Any, line: Connection) -> None:
        self.config = config
        self.line = line
        self.process = os.getpid()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if os.getpid() != self.process:
            os._exit(1)  # a process that a test has forked, and that has come out of the test
        data = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        self.line.send(("report", data))
