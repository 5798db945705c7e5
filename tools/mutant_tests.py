"""The tests of the core, collected once; what is asked for runs in a process that is forked from the one that has them.

Seconds are those of the processors, so that a busy machine changes no verdict; of the clock a test has FREELY as many.

What tests import, torch above all, is imported once too. A test that asks the core while it is collected would ask one
without a mutant: no file of tests may do so.
"""

from __future__ import annotations

import os
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
MEMORY = 12 << 30
FREELY = 6.0
TICKS = os.sysconf("SC_CLK_TCK")
TESTS = ["syntax", "values", "flow", "rules", "fix", "cli", "meaning/test_reader.py", "meaning/test_source.py"]
TESTS += [
    f"meaning/test_{name}.py" for name in ("stated_readings", "scalars", "documents", "bounds", "reader_messages")
]
MEANING = [
    "backslashes",
    "source_seldom",
    "half_characters",
    "depth_of_notes",
    "quotes_inside",
    "limits_of_numbers",
    "source_taken_back",
    "source_programs",
    "source_packages",
    "source_inheritance",
    "source_limits",
    "source_bounds",
    "fences",
    "unions",
    "source_unions",
    "decorated",
    "mangled",
    "alike",
    "decision",
    "small_texts",
    "source_enumerations",
    "source_notes",
    "source_structures",
    "texts_around",
    "slips",
    "raw_readings",
    "constructors",
    "streams_at_every_byte",
    "labels_and_units",
]
TESTS += [f"meaning/test_{name}.py" for name in (*MEANING, "large_texts")]
THREATS = ["check_cache", "limits_of_the_reader", "meanings_and_patches", "searches", "small_attacks", "too_large"]
THREATS += ["words_of_others", "work_of_a_repository"]
TESTS += ["server", *(f"threats/test_{name}.py" for name in THREATS), "pipeline"]
# Programs that torch compiles take minutes, and say nothing of the core that the listed mends do not say.
LEFT_OUT = ["test_plain_program", "test_mended_program", "test_advice_is_one_graph", "test_breaks.py and test_example"]
LEFT_OUT += ["test_hostile_programs"]  # which take minutes too
OPTIONS = [
    "-q",
    "--no-header",
    "-p",
    "no:cacheprovider",
    "-W",
    "ignore",
    "-k",
    " and ".join(f"not ({name})" for name in LEFT_OUT),
]


@dataclass(frozen=True)
class Ended:
    """How some tests have ended: the test that failed, "" for none, and how."""

    test: str
    how: str


class Suite:
    """The plugin that has the tests, and gives them to `work` in place of running them."""

    def __init__(self, work: Callable[[Suite], None]) -> None:
        self.work = work
        self.items: list[pytest.Item] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:
            raise pytest.UsageError("not all tests can be collected")
        self.config, self.items = session.config, session.items
        self.work(self)
        return True

    def run(self, tests: list[tuple[pytest.Item, float]], built: Path, end: float, watch: Watch | None = None) -> Ended:
        """Run tests up to the first that fails, and until `spent` has come to `end`; each may take so many seconds.

        Where they are watched, each makes its own fixtures.
        """
        folder = Path(tempfile.mkdtemp(prefix="gm-"))
        reading, writing = os.pipe()
        left = end - spent()
        child = os.fork()
        if child == 0:
            status = 3
            try:
                os.close(reading)
                settle(self.config, built, folder)
                plugin = (watch or Watcher)(writing)
                self.config.pluginmanager.register(plugin)
                following = [test for test, _ in tests[1:]] if watch is None else []
                for (test, _), after in zip_longest(tests, following):
                    if used() > left:
                        break
                    plugin.begin(test)
                    self.config.hook.pytest_runtest_protocol(item=test, nextitem=after)
                    plugin.end()
                status = 0
            finally:
                os._exit(status)
        os.close(writing)
        try:
            return attend(child, reading, {test.nodeid: seconds for test, seconds in tests})
        finally:
            os.close(reading)
            shutil.rmtree(folder, ignore_errors=True)


class Watcher:
    """The plugin of the forked process: says which test begins, and ends at the first that fails."""

    def __init__(self, line: int) -> None:
        self.line, self.process = line, os.getpid()

    def begin(self, item: pytest.Item) -> None:
        os.write(self.line, f"{item.nodeid.encode('unicode_escape').decode()}\n".encode())

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if os.getpid() != self.process:
            os._exit(1)  # a process that a test has forked, and that has come out of the test
        if report.failed:
            self.failed(report)

    def failed(self, report: pytest.TestReport) -> None:
        os._exit(1)

    def end(self) -> None:
        pass


Watch = Callable[[int], Watcher]


def settle(config: pytest.Config, built: Path, folder: Path) -> None:
    """In the forked process: a core to ask, limits, and a folder."""
    from workers import settle_in

    from graphmend import core

    os.setsid()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ["GRAPHMEND_BUILD"] = str(built)
    os.environ["GRAPHMEND_LIBRARY"] = str(built / "libgraphmend.so")
    assert core._library.cache_info().currsize == 0, "the core was asked while tests were collected"
    core.library_path.cache_clear()
    settle_in(config, folder / "t")


def spent() -> float:
    """The seconds of all processes that have ended below this one."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime


def used() -> float:
    """The seconds of this process, and of those that have ended below it."""
    return sum(os.times()[:4])


def spent_in(session: int) -> float:
    """The seconds of the processes of a session, and of those that have ended below them."""
    total = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            total += sum(map(int, fields[11:15]))
    return total / TICKS


class Clock:
    """The time of a test that runs in a session."""

    def __init__(self, session: int, seconds: float) -> None:
        self.session, self.seconds = session, seconds
        self.began, self.spent = time.monotonic(), spent_in(session)

    def wait(self) -> float:
        """Seconds in which the time cannot have come; 0 where it has."""
        most = self.began + FREELY * self.seconds - time.monotonic()
        return max(0.0, min(most, self.spent + self.seconds - spent_in(self.session)))


def attend(child: int, reading: int, seconds: dict[str, float]) -> Ended:
    """Wait for the forked process; one whose test takes too long is killed, with all that it has started."""
    known = {name.encode("unicode_escape").decode(): name for name in seconds}
    rest, running, how, clock = b"", "", "", Clock(child, 60)
    while not how:
        # So much time is left at least, for a processor gives no more than a second in a second.
        wait = clock.wait()
        if wait <= 0:
            how = "took too long"
            break
        if not select.select([reading], [], [], max(0.1, wait / (os.cpu_count() or 1)))[0]:
            continue
        read = os.read(reading, 65536)
        if not read:
            break
        *names, rest = (rest + read).split(b"\n")
        if names:
            running = known[names[-1].decode()]
            clock = Clock(child, seconds[running])
    if how:
        os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        pass
    return Ended("", "") if status == 0 else Ended(running, how or ("failed" if status == 1 else f"status {status}"))


def collect(work: Callable[[Suite], None]) -> int:
    """Collect the tests of the core, and give them to `work`."""
    sys.path[:0] = [str(ROOT / "tests")]
    paths = [str(ROOT / "tests" / path) for path in TESTS]
    return int(pytest.main([*OPTIONS, *paths], plugins=[Suite(work)]))


def caches() -> list[Any]:
    """The caches of functions of the tests: what one test has kept, another would not ask the core for."""
    modules = [
        module for module in sys.modules.values() if str(getattr(module, "__file__", "")).startswith(f"{ROOT}/tests")
    ]
    found = [value for module in modules for value in vars(module).values()]
    return [value for value in found if hasattr(value, "cache_clear") and hasattr(value, "__wrapped__")]
