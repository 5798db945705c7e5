"""First calls that prepare what later calls find ready."""

from __future__ import annotations

import decimal
import functools
import importlib.metadata
import queue
import threading
from typing import Any, Callable

import pytest
import torch
from harness import CountingBackend, captured, compare

import graphmend.runtime as _gm
from graphmend import run_summary

EFFECT = "m.py:1:0:GM301"
LOCK, NESTED = threading.Lock(), threading.RLock()
DECIMALS = decimal.localcontext()


def show(x: torch.Tensor) -> None:
    """A deferred effect, which is in force in whole calls only."""
    if _gm.on(EFFECT):

        def _gm_sink__show(a):
            print("sum", round(float(a), 3))

        _gm.defer(EFFECT, _gm_sink__show, (x.sum(),))
    else:
        print("sum", round(float(x.sum()), 3))


class Prepared(torch.nn.Module):
    """A module that prepares itself under a lock, once."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(2, 2)
        self.norm = torch.nn.BatchNorm1d(2)
        self.ready = False
        self.prepared = 0

    def prepare(self) -> None:
        if self.ready:
            return
        with LOCK:
            if not self.ready:
                self.prepared += 1
                self.ready = True

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.prepare()
        x = self.norm(self.linear(x))
        show(x)
        return torch.dropout(x, 0.5, True)

    def shown(self) -> Any:
        return self.ready, self.prepared


class Hooked(Prepared):
    """A module that installs hooks at its first call, as models do that can hand out what their layers compute."""

    def prepare(self) -> None:
        if not self.ready:
            self.linear.register_forward_hook(lambda module, args, output: output * 2)
            self.prepared += 1
            self.ready = True


class Cached(Prepared):
    """A module with an attribute that is computed under a lock of its own, once."""

    def __init__(self) -> None:
        super().__init__()
        self.table: dict = {}

    def prepare(self) -> None:
        if "scale" not in self.table:
            with NESTED:
                self.table["scale"] = 2.0
                self.prepared += 1
        self.ready = True


class Grown(Prepared):
    """A module that makes a layer when it first knows how large its input is."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not self.ready:
            self.head = torch.nn.Linear(x.shape[-1], 3)
            self.ready = True
        return super().forward(x).sum() + self.head(x)

    def prepare(self) -> None:
        pass


class Property(Prepared):
    """A module with an attribute that Python computes once; until Python 3.12 under a lock."""

    @functools.cached_property
    def scale(self) -> float:
        self.prepared += 1
        return 2.0

    def prepare(self) -> None:
        self.ready = self.scale == 2.0


class Twice(Prepared):
    """A module that prepares something at its first call, and something else at its second."""

    def prepare(self) -> None:
        if self.prepared < 1:
            with LOCK:
                self.prepared += 1
        elif self.prepared < 2:
            with NESTED:
                self.prepared += 1


class Always(Prepared):
    """A module that enters at every call what no graph can."""

    def prepare(self) -> None:
        with DECIMALS:
            self.prepared += 1


class Package:
    """Whether a package is installed, found out when somebody asks."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __bool__(self) -> bool:
        if not hasattr(self, "available"):
            try:
                self.available = importlib.metadata.version(self.name) != ""
            except importlib.metadata.PackageNotFoundError as error:
                self.available, self.message = False, f"{type(error).__name__}: {error}"
        return self.available


class LookedUp(Prepared):
    """A module that asks for a package that is not installed."""

    def __init__(self) -> None:
        super().__init__()
        self.package = Package("no-such-package-anywhere")

    def prepare(self) -> None:
        if self.package or not self.training:
            self.prepared += 1

    def shown(self) -> Any:
        return self.prepared, vars(self.package)


class LookedUpAlways(LookedUp):
    """A module that keeps no answer."""

    def prepare(self) -> None:
        self.package = Package("no-such-package-anywhere")
        super().prepare()


def calls() -> list:
    return [lambda: (torch.tensor([[1.0, 2.0], [3.0, -1.0]]),), lambda: (torch.tensor([[0.5, 2.0], [-3.0, 1.0]]),)]


@pytest.mark.parametrize("make", [Prepared, Hooked, Cached, Grown, Property, Twice])
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("grad", [True, False])
def test_a_first_call_that_prepares_leaves_later_calls_whole(make: Any, backend: str, grad: bool) -> None:
    outcome = compare(make, calls(), grad, backend)
    assert outcome.graphs == 1 and outcome.mended("GM301")
    record = outcome.report["callables"][0]
    assert record["mode"] == "whole" and record["reason"] is None and record["replays"] == 0


@pytest.mark.parametrize("make", [Prepared, Hooked])
def test_one_graph_or_an_error(make: Any) -> None:
    outcome = compare(make, calls(), fullgraph=True)
    assert outcome.graphs == 1 and outcome.report["callables"][0]["mode"] == "whole"


@pytest.mark.parametrize("make, graphs", [(LookedUp, 2), (LookedUpAlways, 1)])
def test_a_question_for_a_package_that_is_missing_is_traced(make: Any, graphs: int) -> None:
    outcome = compare(make, calls())
    assert outcome.report["callables"][0]["mode"] == "whole" and outcome.graphs <= graphs


def test_what_breaks_twice_in_one_place_is_compiled_in_parts() -> None:
    traced: list[int] = []
    outcome = compare(Always, calls())
    assert outcome.report["callables"][0]["mode"] == "partial"
    assert not outcome.mended("GM301") and outcome.graphs > 1

    torch._dynamo.reset()
    model, backend = Always(), CountingBackend()
    function = torch.compile(model, backend=backend)
    for _ in range(3):
        with captured():
            function(calls()[0]()[0])
        traced.append(len(backend.graphs))
    assert traced[0] == 0 and traced[1] == traced[2] > 0


def test_an_error_is_not_put_off_for_ever() -> None:
    torch._dynamo.reset()
    function = torch.compile(Always(), backend=CountingBackend(), fullgraph=True)
    x = calls()[0]()[0]
    with captured():
        function(x)
        for _ in range(2):
            with pytest.raises(torch._dynamo.exc.Unsupported):
                function(x)


def test_data_are_no_preparation() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        return x * 2 if x.sum() > 0 else x - 1

    torch._dynamo.reset()
    backend = CountingBackend()
    function = torch.compile(f, backend=backend)
    function(torch.ones(3))
    assert backend.graphs and _gm.report()["callables"][-1]["mode"] != "waiting"


def test_an_exception_of_the_first_call_is_the_program_s() -> None:
    class Failing(Prepared):
        def prepare(self) -> None:
            if not self.ready:
                with LOCK:
                    self.prepared += 1
                    self.ready = self.prepared == 2
                if not self.ready:
                    raise ValueError(f"not ready at call {self.prepared}")

    compare(Failing, calls())


def test_locks_of_python_itself_are_no_preparation() -> None:
    messages: queue.Queue = queue.Queue()
    messages.put("one")

    def tensor_first(x: torch.Tensor) -> torch.Tensor:
        return x * messages.qsize()

    def number_first(x: torch.Tensor) -> torch.Tensor:
        return messages.qsize() * x

    def behind_arithmetic(x: torch.Tensor) -> torch.Tensor:
        return (2 - messages.qsize()) / x

    for function in (tensor_first, number_first, behind_arithmetic):
        torch._dynamo.reset()
        backend = CountingBackend()
        compiled = torch.compile(function, backend=backend)
        assert compiled(torch.ones(3)).tolist() == [1.0] * 3
        assert len(backend.graphs) == 1 and _gm.report()["callables"][-1]["mode"] != "waiting"
        messages.put("two")
        assert compiled(torch.ones(3)).tolist() == function(torch.ones(3)).tolist()
        messages.get()


def test_a_report_after_the_first_call_says_why_nothing_is_compiled() -> None:
    torch._dynamo.reset()
    _gm.registry.reset()
    function = torch.compile(Prepared(), backend=CountingBackend())
    with captured():
        function(calls()[0]()[0])
    record = _gm.report()["callables"][0]
    assert record["mode"] == "waiting" and "context manager" in record["reason"]


def test_the_summary_names_what_has_not_been_compiled() -> None:
    torch._dynamo.reset()
    _gm.registry.reset()
    functions = [torch.compile(Prepared(), backend=CountingBackend()) for _ in range(2)]
    with captured():
        functions[0](calls()[0]()[0])
        assert any("breaks   Prepared" in line for line in run_summary.format_report(_gm.report()))
        for function in functions[:1] * 2 + functions[1:]:
            function(calls()[0]()[0])
    assert not any("breaks" in line for line in run_summary.format_report(_gm.report()))


def in_threads(function: Callable[[int], None], count: int) -> None:
    """Run a function in so many threads that start together."""
    barrier, errors = threading.Barrier(count), []

    def run(number: int) -> None:
        try:
            barrier.wait()
            function(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=functools.partial(run, number)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors


def test_first_calls_in_several_threads() -> None:
    torch._dynamo.reset()
    model = Prepared().eval()
    expected = [model.norm(model.linear(torch.full((2, 2), float(n)))).detach() for n in range(4)]
    backend = CountingBackend()

    def plain(x: torch.Tensor) -> torch.Tensor:
        model.prepare()
        return model.norm(model.linear(x))

    function = torch.compile(plain, backend=backend)

    def call(number: int) -> None:
        for _ in range(5):
            torch.testing.assert_close(function(torch.full((2, 2), float(number))).detach(), expected[number])

    in_threads(call, 4)
    assert model.prepared == 1 and 1 <= len(backend.graphs) <= 4


def test_a_later_trace_begins_as_the_last_one_ended() -> None:
    class Shown(Prepared):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            x = self.norm(self.linear(x))
            x = x * {"0": 2.0}[f"{(x > 9).sum()}"]
            self.prepare()
            return x

    torch._dynamo.reset()
    function = torch.compile(Shown(), backend=CountingBackend())
    traced = []
    for _ in range(3):
        before = torch._dynamo.utils.counters["frames"]["total"]
        function(calls()[0]()[0])
        traced.append(torch._dynamo.utils.counters["frames"]["total"] - before)
    assert traced == [2, 1, 0]
    assert compare(Shown, calls()).graphs == 1
