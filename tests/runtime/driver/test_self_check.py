"""`graphmend run --check`: what a compiled call did, against a copy of the process that makes it in eager Python."""

from __future__ import annotations

import contextlib
import io
import logging
import sys
import textwrap
from typing import Any, Iterator

import pytest
import torch
from harness import load, start

from graphmend import hook
from graphmend.runtime.driver import self_check

HEAD = """
import logging, os, random, time
import torch
SEEN, TOTAL = [], torch.zeros(3)
torch.manual_seed(1), random.seed(1)
compiled = torch.compiler.is_dynamo_compiling
"""
SAME = {
    "objects of classes derived from numbers and texts": """
        import enum
        import numpy
        class Kind(str, enum.Enum):
            SUM = "sum"
        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.kind, self.level, self.scale = Kind.SUM, enum.IntEnum("Level", "LOW").LOW, numpy.float64(0.5)
            def forward(self, x):
                return x.sum() * float(self.scale) if self.kind is Kind.SUM else x
        make = Model
    """,
    "state, dropout, text and a log": """
        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.linear, self.drop, self.count = torch.nn.Linear(3, 3), torch.nn.Dropout(0.5), 0
                self.register_buffer("mean", torch.zeros(3))
            def forward(self, x):
                self.count += 1
                y = self.drop(self.linear(x))
                self.mean += y.detach()
                if y.sum() > 0:
                    print("positive", y.sum().item())
                SEEN.append(y.sum().item())
                logging.getLogger("checked").warning("step %d", self.count)
                return y, random.random()
        make = Model
    """,
    "a clock": """
        def f(x):
            started = time.perf_counter()
            if x.sum() > 0:
                x = x * 2
            print("took", time.perf_counter() - started)
            return x, time.perf_counter()
    """,
    "an exception": """
        def f(x):
            TOTAL.add_(x)
            if x.sum() > 3:
                raise ValueError(f"large {x.sum().item():.2f}")
            return TOTAL
    """,
    "results that are arguments": """
        def f(x):
            SEEN.append(x)
            return x, [x], SEEN
    """,
}
DIFFERENT = {
    "result": "y = x + (1 if compiled() else 2)",
    "standard output": "print('sum', x.sum().item(), compiled())",
    "global SEEN[0]": "SEEN.append(compiled())",
    "global TOTAL": "TOTAL.add_(1 if compiled() else 2)",
    "argument 0": "x.add_(1 if compiled() else 2)",
    "generator of torch": "y = x + torch.rand(3).sum() * 0 if compiled() else x",
    "exception": "if not compiled(): raise ValueError('eager')",
}


@pytest.fixture(autouse=True)
def comparing(monkeypatch: pytest.MonkeyPatch) -> Iterator[self_check.Checks]:
    monkeypatch.setattr(hook.state, "compared", 3)
    monkeypatch.setattr(self_check, "checks", self_check.Checks())
    yield self_check.checks


def run(function: Any, calls: int = 5) -> list[Any]:
    found = []
    with contextlib.redirect_stdout(io.TextIOWrapper(io.FileIO(1, "w", closefd=False))):  # not one of pytest's own
        for number in range(calls):
            try:
                found.append(str(function(torch.arange(3.0) * number)))
            except ValueError as error:
                found.append(repr(error))
        sys.stdout.flush()
    return found


@pytest.mark.parametrize("name", SAME)
def test_nothing_differs(tmp_path, capfd, comparing, name):
    make = load(tmp_path, HEAD + textwrap.dedent(SAME[name]))
    log = logging_to(tmp_path / "log")
    _, function = start(make, "eager")
    got, written, logged = run(function), capfd.readouterr().out, (tmp_path / "log").read_text()
    (tmp_path / "log").write_text("")
    _, function = start(make, None)
    assert comparing.differing == [] and comparing.compared == 3 and not comparing.skipped
    assert len(comparing.callables) == 1
    if name != "a clock":
        assert (got, written) == (run(function), capfd.readouterr().out)
        assert logged == (tmp_path / "log").read_text()
    log.close()


def logging_to(path: Any) -> Any:
    """A handler of a logger that appends to a file, which copies of the process share."""
    logger = logging.getLogger("checked")
    logger.handlers[:] = [logging.FileHandler(path)]
    return logger.handlers[0]


@pytest.mark.parametrize("place", DIFFERENT)
def test_differences_are_found(tmp_path, comparing, place):
    text = f"""
    def f(x):
        y = x
        {DIFFERENT[place]}
        if x.sum() > 50:
            print("large")
        return y * 2
    """
    _, function = start(load(tmp_path, HEAD + textwrap.dedent(text)), "eager")
    run(function)
    assert len(comparing.differing) == 1, comparing.differing
    assert f"call 1 of f ({tmp_path}" in comparing.differing[0] and f"): {place}: " in comparing.differing[0]


def test_a_callable_that_differs_is_eager_from_then_on(tmp_path, comparing):
    text = """
    def f(x):
        if x.sum() > 50:
            print("large")
        return x + (10 if compiled() else 0)
    """
    make = load(tmp_path, HEAD + textwrap.dedent(text))
    _, function = start(make, "eager")
    first, *others = run(function)
    _, eager = start(make, None)
    expected = run(eager)
    assert first != expected[0] and others == expected[1:]
    assert comparing.compared == 1


def test_calls_within_calls(tmp_path, comparing):
    text = """
    def inner(x):
        if x.sum() > 3:
            print("large")
        return x * 2
    inside = torch.compile(inner, backend="eager")
    def f(x):
        return torch.compiler.disable(lambda v: inside(v))(x) + 1
    """
    _, function = start(load(tmp_path, HEAD + textwrap.dedent(text)), "eager")
    run(function)
    assert comparing.differing == [] and comparing.compared == 5  # three of `f`, and what the others have inside


def test_state_that_cannot_be_looked_at(tmp_path, comparing):
    text = """
    class Lazy:
        @property
        def __dict__(self):
            raise OSError("not loaded")
    LAZY = Lazy()
    def f(x):
        return x * 2 if type(LAZY) is Lazy else x
    """
    _, function = start(load(tmp_path, HEAD + textwrap.dedent(text)), "eager")
    assert run(function)[1] == str(torch.arange(3.0) * 2)
    assert comparing.skipped == {"a look at the state of the program raised OSError": 3}


def test_state_that_only_eager_python_cannot_look_at(tmp_path, comparing):
    text = """
    class Lazy:
        @property
        def __dict__(self):
            raise OSError("not loaded")
    HELD = []
    def f(x):
        if not compiled():
            HELD.append(Lazy())
        return x * 2, HELD
    """
    _, function = start(load(tmp_path, HEAD + textwrap.dedent(text)), "eager")
    assert run(function)[1] == str((torch.arange(3.0) * 2, []))
    assert comparing.skipped == {"a look at the state of the program raised OSError": 3} and not comparing.differing


def test_a_system_without_fork_compares_nothing(tmp_path, comparing, monkeypatch):
    make = load(tmp_path, HEAD + "def f(x):\n    return x + (10 if compiled() else 0)\n")
    _, function = start(make, "eager")
    monkeypatch.delattr(self_check.os, "fork")
    assert run(function) == [str(torch.arange(3.0) * number + 10) for number in range(5)]
    assert comparing.skipped == {"this system has no fork": 5}
    assert comparing.compared == 0 and not comparing.differing


def test_nothing_is_in_the_way_otherwise(monkeypatch):
    monkeypatch.setattr(hook.state, "compared", 0)
    assert self_check.checked(run, run, None) is run
