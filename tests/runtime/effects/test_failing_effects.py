"""Effects that raise an exception: what comes before them has happened, what comes after them has not."""

from __future__ import annotations

import io
import logging
import sys
import warnings
from typing import Any

import pytest
import torch
from harness import CountingBackend, captured, compare, load

import graphmend.runtime as _gm
from graphmend.runtime.base import trace_state

HEAD = """
    import collections
    import logging
    import random
    import warnings
    import torch
    """


def vectors(*sums: float) -> list[Any]:
    """Calls with an argument of that sum each."""
    return [lambda value=value: (torch.full((4,), value / 4),) for value in sums]


SITE = "m.py:1:0:GM301"
MIXED = vectors(1.0, float("nan"), 2.0, 3.0)  # the second call raises: NaN is no integer


def whole(outcome: Any, *codes: str) -> None:
    """Check that the effects are mended and that the call is one graph."""
    for code in codes:
        assert outcome.mended(code), outcome.report
    modes = [found["mode"] for found in outcome.report["callables"]]
    assert modes == ["whole"], outcome.report


def check(tmp_path: Any, text: str, *codes: str, calls: Any = MIXED, **options: Any) -> Any:
    outcome = compare(load(tmp_path, HEAD + text), calls, **options)
    whole(outcome, *codes)
    return outcome


def test_later_prints_do_not_happen(tmp_path: Any) -> None:
    text = """
    def f(x):
        print("before", x.shape)
        print("sum %d" % x.sum().item())
        print("after", x.shape)
        return x * 2
    """
    check(tmp_path, text, "GM301")


def test_later_changes_of_tensors(tmp_path: Any) -> None:
    text = """
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("seen", torch.zeros(4))
            self.register_buffer("later", torch.zeros(4))
        def forward(self, x):
            self.seen.add_(1)
            print("sum %d" % x.sum().item())
            self.seen.mul_(2)
            self.later = self.later + 1
            return x + self.seen
    make = Model
    """
    check(tmp_path, text, "GM301", grad=False)


def test_later_changes_of_arguments(tmp_path: Any) -> None:
    text = """
    def f(x, table):
        x.add_(1)
        table["first"] = x * 2
        print("sum %d" % x.sum().item())
        x.mul_(3)
        table["second"] = x * 2
        del table["old"]
        return x + 1
    """
    calls = [lambda v=v: (torch.full((4,), v), {"old": torch.ones(1)}) for v in (1.0, float("nan"), 2.0)]
    check(tmp_path, text, "GM301", calls=calls, grad=False)


def test_later_changes_of_objects(tmp_path: Any) -> None:
    text = """
    TOTAL = 0.0
    class Part:
        __slots__ = ("value",)
    class Model(torch.nn.Module):
        limit = 1
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(4, 4)
            self.items, self.table, self.kept, self.names = [], {}, collections.deque(), set()
            self.first = self.second = None
            self.part = Part()
            self.part.value = torch.zeros(())
        def forward(self, x):
            global TOTAL
            y = self.linear(x)
            if len(self.items) > 2:
                self.items.clear()
            self.items.append(y.detach())
            self.first = y.detach()
            print("sum %d" % x.sum().item())
            self.items.append(y.detach() + 1)
            self.second = y.detach() * 2
            self.new = self.second + len(self.items)
            self.table["y"] = y.detach()
            self.kept.appendleft(y.detach())
            if len(self.kept) > 2:
                self.kept.pop()
            self.part.value = self.part.value + 1
            TOTAL = y.detach().sum()
            return y
        def shown(self):
            found = [self.first, self.second, getattr(self, "new", None), self.part.value, TOTAL]
            parts = [None if v is None else torch.as_tensor(v).double().nan_to_num(77).tolist() for v in found]
            lists = [[v.nan_to_num(77).tolist() for v in held] for held in (self.items, self.kept)]
            return parts, lists, [v.nan_to_num(77).tolist() for v in self.table.values()], "new" in vars(self)
    make = Model
    """
    check(tmp_path, text, "GM301")


def test_later_changes_of_closures_and_classes(tmp_path: Any) -> None:
    text = """
    class Shared:
        last = None
    def make():
        last = first = torch.zeros(4)
        table = collections.OrderedDict(a=torch.zeros(1), b=torch.zeros(1))
        class Program:
            def __call__(self, x):
                nonlocal last, first
                first = x.detach() + 1
                print("sum %d" % x.sum().item())
                last = x.detach() * 2
                Shared.last = x.detach() * 3
                table["c"] = x.detach()
                del table["a"]
                table["a"] = x.detach() * 4
                return x * 2
            def shown(self):
                found = [first, last, Shared.last, *table.values()]
                return [None if v is None else v.nan_to_num(77).tolist() for v in found], list(table)
        return Program()
    """
    compare(load(tmp_path, HEAD + text), MIXED)


def test_later_changes_of_cells() -> None:
    """Variables of a closure around the compiled function; some are empty before."""

    def make() -> Any:
        total = torch.zeros(2)
        if total.sum() > 0:
            empty = total

        def program(x: torch.Tensor) -> torch.Tensor:
            nonlocal total, empty
            if _gm.on(SITE):

                def _gm_sink__program(value):
                    print("sum %d" % value.item())

                _gm.defer(SITE, _gm_sink__program, (x.sum(),))
            else:
                print("sum %d" % x.sum().item())
            total = total + x
            empty = x
            return total * 2

        def shown() -> Any:
            try:
                return total.tolist(), empty.nan_to_num(77).tolist()
            except NameError:
                return total.tolist(), None

        return program, shown

    found = []
    for compile in (False, True):
        program, shown = make()
        backend = CountingBackend()
        function = torch.compile(program, backend=backend) if compile else program
        results = []
        with captured() as events:
            for value in (float("nan"), 1.0, float("nan"), 2.0):
                results += [outcome_of(function, torch.full((2,), value)), shown()]
        found.append((results, events))
        assert not compile or _gm.report()["callables"][-1]["mode"] == "whole", _gm.report()
    assert found[0] == found[1]


def test_later_random_numbers(tmp_path: Any) -> None:
    text = """
    def f(x):
        y = x + torch.rand(4)
        print("sum %d" % x.sum().item())
        return torch.nn.functional.dropout(y, 0.5)
    """
    check(tmp_path, text, "GM301")


def test_the_program_handles_it(tmp_path: Any) -> None:
    text = """
    def f(x):
        print("before")
        try:
            print("sum %d" % x.sum().item())
            y = x + 1
        except ValueError as error:
            print("failed", error)
            y = x - 1
        finally:
            x = x * 2
        print("after", x.shape)
        return y * x.nan_to_num(3.0)
    """
    compare(load(tmp_path, HEAD + text), MIXED)


def test_handlers_of_records(tmp_path: Any) -> None:
    text = """
    TABLE = {}
    class Model(torch.nn.Module):
        def forward(self, x):
            try:
                TABLE["sum"] += x.sum().item()
                TABLE["count"] = TABLE["count"] + 1
            except KeyError as error:
                print("first", error)
                TABLE["sum"] = 0.0
                TABLE["count"] = 0
            return x * 2
        def shown(self):
            return dict(TABLE)
    make = Model
    """
    compare(load(tmp_path, HEAD + text), vectors(1.0, 2.0))


def test_warnings_that_are_errors(tmp_path: Any) -> None:
    text = """
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(()))
        def forward(self, x):
            try:
                warnings.warn("slow")
                self.count.add_(1)
            except UserWarning:
                self.count.sub_(1)
            return x + self.count
    make = Model
    """
    make, found = load(tmp_path, HEAD + text), []
    for compile in (False, True):
        model, backend = make(), CountingBackend()
        function = torch.compile(model, backend=backend) if compile else model
        with captured() as events, torch.no_grad():
            for step in range(4):
                with warnings.catch_warnings():
                    if step % 2:
                        warnings.simplefilter("error")
                    events.append(str(function(torch.ones(2)).tolist()))
        found.append((events, model.count.item()))
        assert not compile or len(backend.graphs) == 1, _gm.report()
    assert found[0] == found[1]


def test_in_a_branch(tmp_path: Any) -> None:
    text = """
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(()))
        def forward(self, x):
            print("before")
            if x.max() > 0.3:
                print("large")
                print("root %d" % (x.min().sqrt().item(),))
                y = x * 2
            else:
                print("small")
                y = x * 3
            self.count += 1
            print("after")
            return y
    make = Model
    """
    calls = [lambda a=a: (torch.tensor(a),) for a in ([0.1, 0.1], [0.5, 0.5], [0.5, -1.0], [0.1, -1.0])]
    outcome = compare(load(tmp_path, HEAD + text), calls, grad=False)
    assert outcome.mended("GM301") and [found["mode"] for found in outcome.report["callables"]] == ["whole"]


def test_methods_of_the_programs_own(tmp_path: Any) -> None:
    text = """
    class Recorder:
        def __init__(self):
            self.values = []
        def add(self, value):
            if value != value:
                raise ArithmeticError("not a number") from KeyError("the cause")
            self.values.append(value)
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.recorder, self.calls = Recorder(), 0
            self.register_buffer("count", torch.zeros(()))
        def forward(self, x):
            loss = x.sum()
            self.recorder.add(loss.item())
            self.count.add_(1)
            self.calls += 1
            return loss * 2
        def shown(self):
            return self.calls, self.recorder.values
    make = Model
    """
    check(tmp_path, text, "GM304", grad=False)


def test_every_call_of_a_loop(tmp_path: Any) -> None:
    text = """
    def f(x):
        for i in range(4):
            print(i, "%d" % (x[i] * 4).item())
            x = x + 1
        return x
    """
    calls = [
        lambda a=a: (torch.tensor(a),) for a in ([1.0, 2, 3, 4], [1.0, 2, float("nan"), 4], [float("inf"), 1, 1, 1])
    ]
    check(tmp_path, text, "GM301", calls=calls)


def test_compiled_parts(tmp_path: Any) -> None:
    text = """
    import torch
    @torch.compile(backend="eager")
    def inner(x):
        print("inner")
        return x + 1
    def f(x):
        y = inner(x)
        print("sum %d" % x.sum().item())
        return inner(y)
    """
    check(tmp_path, text, "GM301")


def outcome_of(function: Any, x: torch.Tensor) -> Any:
    try:
        return function(x).tolist()
    except BaseException as error:
        return type(error), str(error), type(error.__context__)


SINKS = """
    logger = logging.getLogger("failing")
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(()))
            self.last = None
        def forward(self, x):
            logger.warning("first")
            self.count += 1
            logger.warning("sum %.1f", x.sum().item())
            warnings.warn("second")
            print("third")
            self.last = x.sum()
            self.count += 1
            return x + self.count
    make = Model
    """


class Failing(logging.Handler):
    """A handler that raises an exception now and then; so does the stream."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error

    def emit(self, record: logging.LogRecord) -> None:
        if record.getMessage() == "sum 8.0":
            raise self.error


class FailingStream(io.StringIO):
    def write(self, text: str) -> int:
        if len(self.getvalue()) > 12:
            raise OSError("no space")
        return super().write(text)


@pytest.mark.parametrize("error", [ValueError("handler"), SystemExit(3), KeyboardInterrupt()])
def test_handlers_and_streams(tmp_path: Any, monkeypatch: Any, error: BaseException) -> None:
    """What raises is not in the program, and need not be there when it is compiled."""
    make = load(tmp_path, HEAD + SINKS)
    found = []
    for compile in (False, True):
        torch._dynamo.reset()
        model, backend = make(), CountingBackend()
        function = torch.compile(model, backend=backend) if compile else model
        results = []
        with captured() as events, torch.no_grad():
            for step, total in enumerate((4.0, 8.0, 12.0, 16.0, 20.0)):
                with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
                    handler = Failing(error)
                    logging.getLogger("failing").addHandler(handler)
                    if step == 2:
                        patch.setattr(sys, "stdout", FailingStream("x" * 20))
                    if step == 3:
                        warnings.simplefilter("error")
                    try:
                        results.append(outcome_of(function, torch.full((4,), total / 4)))
                    finally:
                        logging.getLogger("failing").removeHandler(handler)
                results.append((model.count.item(), None if model.last is None else model.last.item()))
        found.append((results, events))
        assert not compile or len(backend.graphs) == 1, _gm.report()
    assert found[0] == found[1]
    assert trace_state.local.replay is None and not trace_state.replays and trace_state.local.pending is None


def test_it_would_differ(tmp_path: Any, monkeypatch: Any) -> None:
    """Without undoing, the later change of the buffer would be seen."""
    from graphmend.runtime.driver import outcomes

    def only_raise(stopped: Any, run: Any) -> Any:
        raise stopped.error

    monkeypatch.setattr(outcomes, "run_again", only_raise)
    with pytest.raises(AssertionError):
        test_later_changes_of_tensors(tmp_path)
