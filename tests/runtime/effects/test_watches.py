"""Watches over calls whose values are shown later: what a watch sees of a trace, step by step."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any, Callable

import pytest
import torch
from marked_graphs import Written

from graphmend.runtime.base import hooks, trace_state
from graphmend.runtime.base.torch_names import AttributeMutationExisting, AttributeMutationNew, ValueMutationNew
from graphmend.runtime.effects import purity_watch

SITE = "m.py:1:0:GM301"
REFUSED = "a call in what it shows does more than to compute, behind something that is computed later"


class Steps:
    """A trace in progress: a graph with its side effects and its draws, as Dynamo holds them."""

    def __init__(self) -> None:
        self.trace = trace_state.Trace(True, frozenset())
        self.graph = Written()
        self.output = self.new_output()

    def new_output(self) -> Any:
        graph = self.graph.graph
        return types.SimpleNamespace(graph=graph, side_effects=types.SimpleNamespace(), random_calls=[])

    def restart(self, *_: Any) -> None:
        """Dynamo begins the trace again."""
        self.output = self.new_output()

    def new_effects(self, *_: Any) -> None:
        self.output.side_effects = types.SimpleNamespace()

    def draw(self, *_: Any) -> None:
        self.output.random_calls.append("random.random()")

    def make(self, kind: type = AttributeMutationNew) -> Any:
        """A variable for an object, numbered as Dynamo makes it."""
        mutation = kind(None) if kind is AttributeMutationNew else kind()
        purity_watch.number_object(lambda made: None, self.trace, mutation)
        return types.SimpleNamespace(mutation_type=mutation)

    def write(self, variable: Any, effects: Any = None) -> Any:
        """A write of the program to an object."""
        return purity_watch.note_write(print, self.trace, effects or self.output.side_effects, variable)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Iterator[Steps]:
    made = Steps()
    monkeypatch.setattr(trace_state.local, "trace", made.trace)
    monkeypatch.setattr(purity_watch, "translator", lambda: types.SimpleNamespace(output=made.output))
    yield made


Step = Callable[[Steps, Any, Any], Any]

# What happens under a watch, with a tensor `x` and an object that is older, and whether the call was pure.
UNDER_A_WATCH: dict[str, tuple[Step, bool]] = {
    "nothing": (lambda s, x, old: None, True),
    "a sum": (lambda s, x, old: s.graph.call(torch.add, x, 1), True),
    "a new input": (lambda s, x, old: s.graph.input("y"), True),
    "a draw of the graph": (lambda s, x, old: s.graph.call(torch.rand_like, x), False),
    "a write to an older tensor": (lambda s, x, old: s.graph.method("add_", x, 1), False),
    "a write to a new tensor": (lambda s, x, old: s.graph.method("add_", s.graph.call(torch.add, x, 1), 1), True),
    "a draw of Python": (lambda s, x, old: s.draw(), False),
    "a write to an older object": (lambda s, x, old: s.write(old), False),
    "a write to an object of the program": (lambda s, x, old: s.write(s.make(AttributeMutationExisting)), False),
    "a write to a new object": (lambda s, x, old: s.write(s.make()), True),
    "a write to a new list": (lambda s, x, old: s.write(s.make(ValueMutationNew)), True),
    "a write to a new object and to an older one": (lambda s, x, old: (s.write(s.make()), s.write(old)), False),
    "a write of another graph": (lambda s, x, old: s.write(old, types.SimpleNamespace()), True),
    "another graph": (lambda s, x, old: s.restart(), False),
    "other side effects": (lambda s, x, old: s.new_effects(), False),
}


@pytest.mark.parametrize("name", UNDER_A_WATCH)
@pytest.mark.parametrize("is_empty", [False, True], ids=["behind nodes", "first"])
def test_what_a_watch_sees(steps: Steps, name: str, is_empty: bool) -> None:
    act, expected = UNDER_A_WATCH[name]
    if is_empty and "tensor" in name:
        pytest.skip("no tensor is older than the first node")
    x = None if is_empty else steps.graph.input("x")
    old = steps.make()
    number = purity_watch.begin()
    assert number == 0
    act(steps, x if x is not None else steps.graph.input("x"), old)
    assert purity_watch.passed_unseen(number) is expected


@pytest.mark.parametrize("is_last", [False, True])
def test_a_draw_before_the_watch_is_none_of_the_call(steps: Steps, is_last: bool) -> None:
    x = steps.graph.input("x")
    y = steps.graph.call(torch.rand_like, x)
    steps.draw()
    if not is_last:
        steps.graph.call(torch.add, y, 1)
    number = purity_watch.begin()
    steps.graph.call(torch.add, y, 1)
    assert purity_watch.passed_unseen(number)


def test_the_first_node_of_a_graph_is_watched(steps: Steps) -> None:
    number = purity_watch.begin()
    steps.graph.call(torch.rand, 2)
    assert not purity_watch.passed_unseen(number)


def test_watches_inside_watches(steps: Steps) -> None:
    """Each is asked for its own steps; one that an exception left open ends with the one around it."""
    steps.graph.input("x")
    outer = purity_watch.begin()
    old = steps.make()
    inner, innermost = purity_watch.begin(), purity_watch.begin()
    assert (outer, inner, innermost) == (0, 1, 2)
    steps.write(old)
    assert not purity_watch.passed_unseen(inner)
    assert purity_watch.passed_unseen(outer)
    assert purity_watch.begin() == 0


def test_a_trace_that_begins_again_forgets_its_watches(steps: Steps) -> None:
    assert [purity_watch.begin(), purity_watch.begin()] == [0, 1]
    steps.restart()
    assert [purity_watch.begin(), purity_watch.begin()] == [0, 1]


def test_a_write_is_left_to_others(steps: Steps) -> None:
    purity_watch.begin()
    assert steps.write(steps.make()) is hooks.DECLINED


def test_an_object_is_made_once(steps: Steps) -> None:
    made: list[Any] = []
    mutation = AttributeMutationNew(None)
    purity_watch.number_object(lambda *args: made.append(args), steps.trace, mutation, 7)
    assert made == [(mutation, 7)]


def test_no_watch_outside_of_a_trace() -> None:
    assert purity_watch.noticed() == -1
    values = (1, 2)
    assert purity_watch.unnoticed(SITE, -1, values) is values


def test_a_site_is_refused_behind_an_impure_call(steps: Steps) -> None:
    values = (1, 2)
    assert purity_watch.unnoticed(SITE, purity_watch.begin(), values) is values
    for outer in (False, True):
        number = purity_watch.begin() if not outer else (purity_watch.begin(), purity_watch.begin())[1]
        steps.draw()
        with pytest.raises(trace_state.SiteRefused):
            purity_watch.unnoticed(SITE, number, values)
        assert steps.trace.refusals == {SITE: REFUSED}
        steps.trace.refusals.clear()
