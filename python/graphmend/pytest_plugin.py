"""A guard for test suites: a test fails when torch.compile breaks its graph in the test. docs/guard.md is the manual.

    @pytest.mark.no_graph_breaks
    def test_model():
        torch.compile(model)(x)

pytest loads this module in every run, so the module imports neither torch nor any heavy package before a test needs
them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional

import pytest

from graphmend import terminal

if TYPE_CHECKING:
    from graphmend.baseline import Site
    from graphmend.breaks import Break, Recorder

READ, WRITE = "graph_breaks_baseline", "write_graph_breaks_baseline"
MARKS = ("no_graph_breaks", "max_graph_breaks")
OF = "pytest"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("graphmend", "graph breaks of torch.compile")
    group.addoption(
        "--graph-breaks-baseline", dest=READ, metavar="FILE", help="graph breaks listed there are no failures"
    )
    group.addoption(
        "--write-graph-breaks-baseline",
        dest=WRITE,
        metavar="FILE",
        help="list the graph breaks of marked tests there, fail on none",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "no_graph_breaks: fails when torch.compile breaks its graph, or has nothing to compile"
    )
    config.addinivalue_line(
        "markers", "max_graph_breaks(n): fails when torch.compile breaks its graph at more than n places"
    )
    config.pluginmanager.register(Guard(config), "graphmend-guard")


def is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def limit_of(item: pytest.Item) -> Optional[int]:
    """The number of breaks that the closest mark of a test allows; None without a mark."""
    mark = next((mark for mark in item.iter_markers() if mark.name in MARKS), None)
    if mark is None:
        return None
    given = [*mark.args, *mark.kwargs.values()]
    if mark.name == "no_graph_breaks":
        if given:
            raise pytest.UsageError(
                f"{item.nodeid}: `no_graph_breaks` takes no arguments, `max_graph_breaks(n)` takes a number"
            )
        return 0
    if len(given) != 1 or not is_number(given[0]) or not mark.kwargs.keys() <= {"n"}:
        raise pytest.UsageError(f"{item.nodeid}: `max_graph_breaks(n)` takes one number")
    return int(given[0])


def verdict(recorder: Recorder, breaks: list[Break], limit: int) -> Optional[str]:
    """The failure message of a test, for the report; None for a passing test. `breaks` are the counted breaks."""
    if not recorder.breaks and not recorder.graphs:
        return "no graph was captured: nothing that ran here is compiled by torch.compile, so there is nothing to guard"
    if len(breaks) <= limit:
        return None
    places = f"{len(breaks)} place{'s' if len(breaks) != 1 else ''}"
    title = f"torch.compile breaks its graph at {places}, {limit or 'none'} allowed"
    figures = f"graphs: {recorder.graphs}, operations in them: {recorder.operations}"
    return "\n".join([f"{title} ({figures})", *map(describe, breaks)])


def describe(one: Break) -> str:
    """A break with its function and statement."""
    from graphmend import baseline

    where = baseline.statement_at(one.path, one.line)
    lines = [f"  {one.path}:{one.line} in {where.function}: {one.reason}", f"      {where.text}"]
    if one.given_up:
        lines.append("      Python runs the whole function")
    if one.break_id:
        lines.append(f"      see `graphmend rule {one.break_id}`")
    return "\n".join(map(terminal.visible, lines))


class GraphBreaks:
    """The fixture: the breaks and graphs since the start of the test, and blocks with a limit of their own."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    @property
    def breaks(self) -> list[Break]:
        """The places that break: `path`, `line`, `reason`, `break_id`, `given_up`."""
        return self._recorder.breaks

    @property
    def count(self) -> int:
        """How many places break."""
        return self._recorder.count

    @property
    def graphs(self) -> int:
        """How many graphs were captured, those without operations left out."""
        return self._recorder.graphs

    @property
    def operations(self) -> int:
        """How many operations are in the graphs."""
        return self._recorder.operations

    @property
    def recompiles(self) -> int:
        """How many graphs were made anew because a guard failed."""
        return self._recorder.recompiles

    def __call__(self, max_graph_breaks: int = 0) -> Limited:
        """`with graph_breaks(max_graph_breaks=2):` fails at the end of the block when more places break in it."""
        return Limited(max_graph_breaks)


class Limited:
    """A block with a limit of breaking places."""

    def __init__(self, limit: int) -> None:
        from graphmend.breaks import Recorder

        if not is_number(limit):
            raise ValueError("max_graph_breaks is a number, 0 or more")
        self._limit = limit
        self._recorder = Recorder()

    def __enter__(self) -> GraphBreaks:
        return GraphBreaks(self._recorder.__enter__())

    def __exit__(self, kind: Any, *error: Any) -> None:
        self._recorder.__exit__()
        problem = verdict(self._recorder, self._recorder.breaks, self._limit) if kind is None else None
        if problem is not None:
            pytest.fail(problem, pytrace=False)


@pytest.fixture
def graph_breaks() -> Iterator[GraphBreaks]:
    """Counts breaks of torch.compile's graph in a test: `count`, `breaks`, `graphs`, `operations`, `recompiles`."""
    from graphmend.breaks import Recorder

    with Recorder() as recorder:
        yield GraphBreaks(recorder)


class Guard:
    """The marks, and the baseline of a run."""

    def __init__(self, config: pytest.Config) -> None:
        self.read_from: Optional[str] = config.getoption(READ)
        self.write_to: Optional[str] = config.getoption(WRITE)
        self.known: dict[Any, Site] = {}
        self.found: dict[Any, Site] = {}

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        from graphmend import baseline

        if self.write_to is not None and hasattr(session.config, "workerinput"):
            raise pytest.UsageError("--write-graph-breaks-baseline: the tests have to run in one process")
        if self.read_from is not None:
            try:
                self.known = {site.key(): site for site in baseline.read(self.read_from, OF)}
            except baseline.BaselineError as error:
                raise pytest.UsageError(terminal.visible(f"--graph-breaks-baseline: {error}")) from None

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            limit_of(item)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        limit = limit_of(item)
        if limit is None:
            yield
            return
        from graphmend.breaks import Recorder

        with Recorder() as recorder:
            outcome: Any = yield
        problem = self.judge(recorder, limit) if outcome.excinfo is None else None
        if problem is not None:
            fail_test(outcome, problem)

    def judge(self, recorder: Recorder, limit: int) -> Optional[str]:
        """The failure message of a test that has passed so far."""
        from graphmend import breaks

        try:
            return verdict(recorder, [one for one in recorder.breaks if not self.is_known(one)], limit)
        except breaks.CountError as error:
            return terminal.visible(str(error))

    def is_known(self, one: Break) -> bool:
        """Whether the list has a break; while a list is written, the break is added."""
        if self.read_from is None and self.write_to is None:
            return False
        from graphmend import baseline

        file = Path(self.write_to or self.read_from or "")
        site = baseline.site_at(one.path, one.line, one.break_id or one.reason, file.parent)
        self.found[site.key()] = site
        return self.write_to is not None or site.key() in self.known

    def pytest_sessionfinish(self) -> None:
        if self.write_to is not None:
            from graphmend import baseline

            baseline.write(self.write_to, OF, self.found.values())

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        count = len(self.found)
        if self.write_to is not None:
            said = f"{count} graph break{'s' if count != 1 else ''} listed in {self.write_to}"
            terminalreporter.write_line(terminal.visible(said))


def fail_test(outcome: Any, problem: str) -> None:
    """Change a passed test into a failed test."""
    failure = pytest.fail.Exception(problem, pytrace=False)
    if not hasattr(outcome, "force_exception"):  # before pluggy 1.1
        raise failure
    outcome.force_exception(failure)
