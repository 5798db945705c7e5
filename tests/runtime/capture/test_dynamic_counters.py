"""Integers that a call counts, in modules, their objects and containers, and in globals."""

from __future__ import annotations

import collections
import inspect
import pathlib
from typing import Any, Callable

import pytest
import torch
from harness import CountingBackend, load

from graphmend.runtime.driver import retry_policy

CALLS = 12
TOTAL = 0


class Meter:
    def __init__(self) -> None:
        self.count = 0


class Counting(torch.nn.Module):
    """A module that counts its calls in all kinds of places."""

    def __init__(self, form: Callable[[Any, torch.Tensor], Any]) -> None:
        super().__init__()
        self.form = form
        self.step = 0
        self.table = {"calls": 0}
        self.sizes = [0, 0]
        self.meter = Meter()

    def forward(self, x: torch.Tensor) -> Any:
        return self.form(self, x)


def attribute(self: Counting, x: torch.Tensor) -> Any:
    self.step += 1
    return x * (self.step / 7), self.step


def warmed_up(self: Counting, x: torch.Tensor) -> Any:
    self.step += 1
    return x * min(self.step / 5, 1.0) if self.step % 4 else -x


def of_object(self: Counting, x: torch.Tensor) -> Any:
    self.meter.count += x.size(0)
    return x / self.meter.count, self.meter.count


def in_table(self: Counting, x: torch.Tensor) -> Any:
    self.table["calls"] += 1
    return torch.add(x, 1, alpha=self.table["calls"]), dict(self.table)


def in_list(self: Counting, x: torch.Tensor) -> Any:
    self.sizes[1] += 2
    return x.long() * self.sizes[1], list(self.sizes)


def of_new_object(self: Counting, x: torch.Tensor) -> Any:
    self.step += 1
    self.meter, self.sizes = Meter(), [0, 0]
    self.meter.count += self.step
    self.sizes[0] = self.meter.count
    return x * self.meter.count


def of_file(self: Counting, x: torch.Tensor) -> Any:
    global TOTAL
    TOTAL += 1
    return x**TOTAL, TOTAL


def drawn(self: Counting, x: torch.Tensor) -> Any:
    self.step = (self.step * 6364136223846793005 + 1442695040888963407) % 2**64
    return x * ((self.step >> 33) % 7), self.step


def in_closure() -> Callable:
    taken = 0

    def form(self: Counting, x: torch.Tensor) -> Any:
        nonlocal taken
        taken += 1
        return x * taken, taken

    return form


def state(module: Counting) -> Any:
    return module.step, module.table, module.sizes, module.meter.count, TOTAL


@pytest.mark.parametrize("form", [attribute, of_object, in_table, in_list, of_new_object, of_file, warmed_up])
def test_counted_calls_share_graphs(form: Callable) -> None:
    global TOTAL
    x = torch.linspace(-2, 2, 6).reshape(2, 3)
    found = []
    backend = CountingBackend()
    for wrap in (lambda module: module, lambda module: torch.compile(module, backend=backend)):
        TOTAL = 0
        module = Counting(form)
        run = wrap(module)
        found.append([(run(x), state(module)) for _ in range(CALLS)])
    for eager, compiled in zip(*found):
        assert eager[1] == compiled[1]
        torch.testing.assert_close(eager[0], compiled[0], rtol=0, atol=0)
    assert len(backend.graphs) <= (2 if form is not warmed_up else 5)


@pytest.mark.parametrize("alone", [True, False])
def test_closures_count(alone: bool) -> None:
    backend = CountingBackend()
    form = in_closure()
    run = torch.compile((lambda x: form(None, x)) if alone else Counting(form), backend=backend)
    assert [run(torch.ones(2))[1] for _ in range(6)] == [1, 2, 3, 4, 5, 6]
    assert len(backend.graphs) <= 3


def test_a_function_counts_its_calls() -> None:
    taken = 0

    def f(x: torch.Tensor) -> Any:
        nonlocal taken
        if x.sum() > 0:
            taken += 1
            return x * taken
        return x - taken

    backend = CountingBackend()
    run = torch.compile(f, backend=backend)
    for step in range(1, 6):
        assert run(torch.ones(1)).item() == step
    assert taken == 5 and len(backend.graphs) <= 3


def test_what_grows_beyond_all_bounds_is_a_constant() -> None:
    x = torch.ones(2)
    module, backend = Counting(drawn), CountingBackend()
    run = torch.compile(Counting(drawn), backend=backend)
    for _ in range(4):
        eager, compiled = module(x), run(x)
        assert torch.equal(eager[0], compiled[0]) and eager[1] == compiled[1]
    assert len(backend.graphs) == 4


def test_a_number_that_must_be_known_is_a_constant_again() -> None:
    """A backend that takes no numbers: each call has its graph, as without graphmend."""
    taken = []

    def compiler(module: torch.fx.GraphModule, inputs: Any) -> Any:
        if any(isinstance(value, (int, torch.SymInt)) for value in inputs):
            raise RuntimeError("numbers are not known here")
        taken.append(module)
        return module

    module = Counting(attribute)
    run = torch.compile(module, backend=compiler)
    for step in range(1, 5):
        assert run(torch.ones(2))[1] == step
    assert len(taken) == 4


class Weights(torch.nn.Module):
    """A module that divides numbers of the data by those of the call before, kept in a dictionary or a list."""

    def __init__(self, kept: Any) -> None:
        super().__init__()
        self.kept = kept

    def forward(self, x: torch.Tensor) -> Any:
        first, second = (0, 1) if isinstance(self.kept, list) else ("first", "second")
        found = {first: x.mean().item(), second: x.abs().max().item()}
        rates = [number / (self.kept[place] or number) for place, number in found.items()]
        for place, number in found.items():
            self.kept[place] = number
        return x * rates[0] + rates[1]


@pytest.mark.parametrize("kept", [{"first": 0.5, "second": 2.0}, [0.5, 2.0]], ids=["dictionary", "list"])
def test_numbers_of_the_data_in_containers_need_one_graph(kept: Any) -> None:
    xs = [torch.linspace(-1, 3, 5) * (n + 1) for n in range(4)]
    backend = CountingBackend()
    eager, module = Weights(kept.copy()), Weights(kept.copy())
    run = torch.compile(module, backend=backend)
    for x in xs:
        torch.testing.assert_close(run(x), eager(x), rtol=0, atol=0)
        assert module.kept == eager.kept
    assert len(backend.graphs) == 1


class Window(torch.nn.Module):
    """A module that divides by the oldest number of a full window."""

    def __init__(self) -> None:
        super().__init__()
        self.window: collections.deque[float] = collections.deque(maxlen=2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x / self.window[0] if len(self.window) == 2 else x * 2
        self.window.append(x.mean().item())
        return y


def test_numbers_that_move_through_a_queue_need_one_graph_for_each_length() -> None:
    backend, eager, module = CountingBackend(), Window(), Window()
    run = torch.compile(module, backend=backend)
    for n in range(1, 8):
        x = torch.linspace(0, 3, 5) * n
        torch.testing.assert_close(run(x), eager(x), rtol=0, atol=0)
        assert module.window == eager.window
    assert len(backend.graphs) == 3


class Halving(torch.nn.Module):
    """A training step that halves a rate of its settings where the loss is large."""

    def __init__(self) -> None:
        super().__init__()
        self.groups = [{"rate": 0.5, "decay": 0.25}]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 1:
            for group in self.groups:
                group["rate"] *= 0.5
        return x * self.groups[0]["rate"] + self.groups[0]["decay"]


def test_a_rate_that_the_call_changes_needs_no_trace_in_vain(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = []
    take = retry_policy.Course.take
    monkeypatch.setattr(retry_policy.Course, "take", lambda *args: failed.append(args[1]) or take(*args))
    source = f"import torch\n\n{inspect.getsource(Halving)}\n\ndef make():\n    return Halving()\n"
    eager, module = Halving(), load(tmp_path, source)()
    backend = CountingBackend()
    run = torch.compile(module, backend=backend)
    for number in (2.0, 3.0, 4.0, 5.0):
        x = torch.full((3,), number)
        torch.testing.assert_close(run(x), eager(x), rtol=0, atol=0)
        assert module.groups == eager.groups
    assert len(backend.graphs) == 2 and failed == []
