"""Watches over calls whose values are shown later: what a watch sees of a trace, step by step."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, Callable

import pytest
import torch
from live_traces import Begun, traced
from torch._dynamo.exc import InternalTorchDynamoError
from torch.utils.checkpoint import checkpoint

from graphmend import runtime
from graphmend.runtime.base import hooks, trace_state
from graphmend.runtime.effects import purity_watch
from graphmend.runtime.effects.purity_watch import begin, passed_unseen

SITE = "m.py:1:0:GM301"
REFUSED = "a call in what it shows does more than to compute, behind something that is computed later"


class Box:
    """An object of the program."""

    item: Any = None


OF_THE_PROGRAM = Box()
CONSTANT = torch.ones(3)


@pytest.fixture
def trace(monkeypatch: pytest.MonkeyPatch) -> Iterator[trace_state.Trace]:
    """Programs are traced as Dynamo traces them, with the hooks of the runtime in force."""
    made = trace_state.Trace(True, frozenset())
    runtime.uninstall_compile()
    monkeypatch.setattr(trace_state.local, "trace", made)
    with hooks.in_force(made):
        yield made


def seen(program: Callable[..., Any], *args: Any, whole: bool = True) -> Any:
    """What a program gives that asks the watches while it is traced."""
    torch._dynamo.reset()
    return torch.compile(program, backend="eager", fullgraph=whole)(*args)


def write(box: Box) -> Box:
    box.item = 1
    return box


def appended(rows: list[int]) -> None:
    rows.append(1)


Step = Callable[[torch.Tensor, Box, list[int]], Any]

# What a program does under a watch, with an argument, an older object and an older list; and whether the call was pure.
UNDER_A_WATCH: dict[str, tuple[Step, bool]] = {
    "nothing": (lambda x, old, rows: None, True),
    "a sum": (lambda x, old, rows: x + 1, True),
    "a new input": (lambda x, old, rows: x + CONSTANT, True),
    "a draw of the graph": (lambda x, old, rows: torch.rand_like(x), False),
    "a draw behind a sum": (lambda x, old, rows: torch.rand_like(x + 1) + 1, False),
    "a write to an older tensor": (lambda x, old, rows: x.add_(1), False),
    "a write to a view of an older tensor": (lambda x, old, rows: x[1:].add_(1), False),
    "a write to a new tensor": (lambda x, old, rows: (x + 1).add_(1), True),
    "a write to a new tensor and to an older one": (lambda x, old, rows: ((x + 1).add_(1), x.add_(1)), False),
    "a draw of Python": (lambda x, old, rows: random.uniform(0, 1), False),
    "a write to an older object": (lambda x, old, rows: write(old), False),
    "a write to an older list": (lambda x, old, rows: appended(rows), False),
    "a write to an object of the program": (lambda x, old, rows: write(OF_THE_PROGRAM), False),
    "a write to a new object": (lambda x, old, rows: write(Box()), True),
    "a write to a new list": (lambda x, old, rows: appended([]), True),
    "a write to a new object and to an older one": (lambda x, old, rows: (write(Box()), write(old)), False),
    "another graph": (lambda x, old, rows: torch._dynamo.graph_break(), False),
    "a graph of its own": (lambda x, old, rows: checkpoint(torch.sin, x, use_reentrant=False), False),
}


@pytest.mark.parametrize("name", UNDER_A_WATCH)
@pytest.mark.parametrize("is_empty", [False, True], ids=["behind nodes", "first"])
def test_what_a_watch_sees(trace: trace_state.Trace, name: str, is_empty: bool) -> None:
    act, expected = UNDER_A_WATCH[name]
    if is_empty and "older" in name and "tensor" in name:
        pytest.skip("no tensor is older than the first node")

    def program(x: torch.Tensor) -> Any:
        y = x if is_empty else x * 2
        old, rows = Box(), [2]
        number = begin()
        act(y, old, rows)
        return number, passed_unseen(number), y + 1, old.item, rows

    number, is_pure = seen(program, torch.ones(3), whole=name != "another graph")[:2]
    assert (number, is_pure) == (0, expected)


@pytest.mark.parametrize("is_last", [False, True])
def test_a_draw_before_the_watch_is_none_of_the_call(trace: trace_state.Trace, is_last: bool) -> None:
    def program(x: torch.Tensor) -> Any:
        y = torch.rand_like(x) + random.uniform(0, 1)
        y = torch.rand_like(y) if is_last else y + 1
        number = begin()
        z = y + 1
        return passed_unseen(number), z

    assert seen(program, torch.ones(3))[0] is True


def test_the_first_node_of_a_graph_is_watched(trace: trace_state.Trace) -> None:
    def program() -> Any:
        number = begin()
        drawn = torch.rand(2)
        return passed_unseen(number), drawn

    assert seen(program)[0] is False


def test_watches_inside_watches(trace: trace_state.Trace) -> None:
    """Each is asked for its own steps; one that an exception left open ends with the one around it."""

    def program(x: torch.Tensor) -> Any:
        y = x + 1
        outer = begin()
        old = Box()
        inner, innermost = begin(), begin()
        write(old)
        numbers = outer, inner, innermost
        return numbers, passed_unseen(inner), passed_unseen(outer), begin(), y, old

    assert seen(program, torch.ones(3))[:4] == ((0, 1, 2), False, True, 0)


def test_a_trace_that_begins_again_forgets_its_watches(trace: trace_state.Trace) -> None:
    def program(x: torch.Tensor) -> Any:
        return begin(), begin(), x + 1

    for _ in range(2):
        assert seen(program, torch.ones(3))[:2] == (0, 1)


@traced()
def test_side_effects_that_dynamo_takes_back(graph: Begun) -> None:
    """Dynamo goes back to a copy of its side effects behind the trace of an inner graph."""
    earlier, number = graph.output.side_effects.clone(), begin()
    graph.output.side_effects = earlier
    assert not passed_unseen(number)


def test_dynamo_still_refuses_a_write(trace: trace_state.Trace) -> None:
    """A watch notes the write, and Dynamo says what it says without a watch."""

    def program(x: torch.Tensor) -> Any:
        old, number = Box(), begin()

        def side(x: torch.Tensor) -> torch.Tensor:
            write(old)
            return x + 1

        y = torch.cond(x.sum() > 0, side, side, (x,))
        return y, passed_unseen(number), old

    with pytest.raises(Exception, match="Higher order operator|side effect"):
        seen(program, torch.ones(3))


def test_no_watch_outside_of_a_trace() -> None:
    assert purity_watch.noticed() == -1
    values = (1, 2)
    assert purity_watch.unnoticed(SITE, -1, values) is values


@pytest.mark.parametrize("is_inner", [False, True])
@pytest.mark.parametrize("is_impure", [False, True])
def test_a_site_is_refused_behind_an_impure_call(trace: trace_state.Trace, is_impure: bool, is_inner: bool) -> None:
    def program(x: torch.Tensor) -> Any:
        y = x + 1
        if is_inner:
            begin()
        number = purity_watch.noticed()
        if is_impure:
            random.uniform(0, 1)
        return purity_watch.unnoticed(SITE, number, (1, 2)), y

    if is_impure:
        with pytest.raises(InternalTorchDynamoError, match=REFUSED):
            seen(program, torch.ones(3))
        assert trace.refusals == {SITE: REFUSED}
    else:
        assert seen(program, torch.ones(3))[0] == (1, 2) and not trace.refusals
