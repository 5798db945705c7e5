"""Questions by which a program could tell a copy from its source, or a later effect from one in its place."""

from __future__ import annotations

import contextlib
import enum
import functools
import logging
import operator
import sys
import types
from typing import Any, Callable, NamedTuple

import pytest
import torch
from live_traces import Begun, in_a_trace, plainly, traced
from torch._dynamo.comptime import comptime
from torch._dynamo.source import LocalSource
from torch._dynamo.variables import ConstantVariable, SymNodeVariable, VariableTracker
from torch._dynamo.variables.misc import NullVariable
from torch.fx import Node
from torch.overrides import TorchFunctionMode

from graphmend.runtime.base import hooks, trace_state
from graphmend.runtime.base.marker_ops import event, key_of
from graphmend.runtime.capture import identity_guard

SITE = "m.py:1:0:GM101"
X = torch.tensor([1.0, 2.0])
Build = Callable[[Begun, Node], Node]


def number(graph: Begun, x: Node) -> Node:
    return graph.item(graph.call(torch.sum, x))


def minus_itself(graph: Begun, x: Node) -> Node:
    value = number(graph, x)
    return graph.call(operator.sub, value, value)


def whole(graph: Begun, x: Node) -> Node:
    return graph.item(graph.call(torch.sum, graph.call(torch.gt, x, 0)))


# A number that a trace computes, and whether a number of the data is no longer in it, though it may be NaN.
DROPPED: dict[str, tuple[Build, bool]] = {
    "a sum": (lambda g, x: g.call(operator.add, number(g, x), 1.0), False),
    "a number minus itself": (minus_itself, True),
    "a comparison": (lambda g, x: g.call(operator.gt, number(g, x), 1.0), False),
    "a comparison with itself": (lambda g, x: g.call(operator.eq, *[number(g, x)] * 2), True),
    "two numbers": (lambda g, x: g.call(operator.add, number(g, x), number(g, x)), False),
    "one of two numbers": (
        lambda g, x: g.keep(
            g.graph.call_function(operator.add, (a := number(g, x), number(g, x))), a.meta["example_value"]
        ),
        True,
    ),
    "an integer minus itself": (lambda g, x: g.call(operator.sub, *[whole(g, x)] * 2), False),
    "a tensor": (lambda g, x: g.call(torch.add, x, 1), False),
}


@pytest.mark.parametrize("name", DROPPED)
@traced()
def test_numbers_that_are_dropped(graph: Begun, name: str) -> None:
    build, expected = DROPPED[name]
    node = build(graph, graph.given("x", X))
    assert identity_guard.drops_numbers(node) is expected
    create = SymNodeVariable.create.__func__
    value, source = node.meta["example_value"], LocalSource("n")
    if isinstance(value, torch.Tensor):
        return
    for is_whole in (False, True):
        trace = trace_state.Trace(is_whole, frozenset())
        call = create, trace, SymNodeVariable, graph.tx, graph.proxy(node), value
        if expected and is_whole:
            with pytest.raises(trace_state.SiteRefused, match="^what it computes with numbers from tensors is another"):
                identity_guard.create_number(*call, source=source)
        else:
            made = identity_guard.create_number(*call, source=source)
            assert isinstance(made, VariableTracker) and made.source is source
            assert made.is_python_constant() or made.as_proxy().node is node


def symbol(graph: Begun, data: bool = True) -> Any:
    """Dynamo's variable for a number that data decide, or for one that is there before the graph."""
    if data:
        node = whole(graph, graph.given("x", X))
        return SymNodeVariable.create(graph.tx, graph.proxy(node), node.meta["example_value"])
    with torch._dynamo.config.patch(assume_static_by_default=False):
        return graph.variable("n", 5)


@traced()
def test_variables_of_numbers(graph: Begun) -> None:
    one, text = ConstantVariable.create(1), ConstantVariable.create("text")
    assert [identity_guard.is_number(item) for item in (one, ConstantVariable.create(True), text)] == [
        True,
        True,
        False,
    ]
    assert identity_guard.is_number(ConstantVariable.create(1.5)) and not identity_guard.is_number(symbol(graph))
    assert identity_guard.is_symbolic(symbol(graph)) and not identity_guard.is_symbolic(one)
    found = [identity_guard.decided_by_data(item) for item in (symbol(graph), symbol(graph, data=False), one)]
    assert found == [True, False, False]


def reduced(ask: Callable[[Any], None]) -> Any:
    """A program that asks in a function which Dynamo's own Python for `functools.reduce` calls."""

    def step(total: int, item: int) -> int:
        comptime(ask)
        return total + item

    def program(x: torch.Tensor) -> torch.Tensor:
        return x + functools.reduce(step, [1, 2])

    return program


Sides = Callable[[Begun], list[Any]]
QUESTIONS: dict[str, tuple[bool, str, Sides, bool]] = {
    "is": (True, "is", lambda g: [symbol(g), ConstantVariable.create(True)], True),
    "is not": (True, "is not", lambda g: [ConstantVariable.create(1), symbol(g)], True),
    "equal": (True, "==", lambda g: [symbol(g), ConstantVariable.create(1)], False),
    "in a part of a call": (False, "is", lambda g: [symbol(g), ConstantVariable.create(1)], False),
    "of a text": (True, "is", lambda g: [symbol(g), ConstantVariable.create("text")], False),
    "of None": (True, "is", lambda g: [symbol(g), ConstantVariable.create(None)], False),
    "of two numbers": (True, "is", lambda g: [ConstantVariable.create(1)] * 2, False),
    "of two symbols": (True, "is", lambda g: [symbol(g), symbol(g)], False),
}


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("name", QUESTIONS)
def test_questions_which_object_a_number_is(name: str, own: bool) -> None:
    """Dynamo's own Python for a function of C may ask, and asks again by another question."""
    is_whole, sign, make, refused = QUESTIONS[name]

    def ask(tx: Any) -> None:
        graph, frame = Begun(tx), tx.parent if own else tx
        assert identity_guard.is_polyfill(frame.f_code) is own
        call = print, trace_state.Trace(is_whole, frozenset()), sign, frame, make(graph), {}
        if refused and not own:
            with pytest.raises(trace_state.SiteRefused, match="^the function asks which object a number is that data"):
                identity_guard.compare_objects(*call)
        else:
            assert identity_guard.compare_objects(*call) is hooks.DECLINED

    in_a_trace(ask, reduced if own else plainly)


class Selected:
    """A trace with a selected copy, and a tensor that is none."""

    def __init__(self, tx: Any) -> None:
        self.graph = Begun(tx)
        self.trace = self.graph.trace
        self.plain = self.graph.variable("x", X)
        self.copy = self.plain.call_method(tx, "neg", [], {})

    def value(self, copy: bool) -> Any:
        """The fake tensor that Dynamo holds."""
        return self.variable(copy).as_proxy().node.meta["example_value"]

    def select(self, parameter: bool = False) -> None:
        identity_guard.note_selected(self.trace, SITE, self.value(True), parameter)

    def variable(self, copy: bool) -> Any:
        return self.copy if copy else self.plain

    def asked(self, name: str, variable: Any) -> Any:
        """What the guard says of an attribute that the program asks for."""
        return identity_guard.watch_attribute(print, self.trace, variable, self.graph.tx, name)

    @contextlib.contextmanager
    def told(self, refused: bool) -> Any:
        if not refused:
            yield
            assert not self.trace.refusals
            return
        with pytest.raises(trace_state.SiteRefused, match=f"^{SITE}$"):
            yield
        reason = "the function asks which tensor a result is, which a selected copy cannot tell"
        assert self.trace.refusals == {SITE: reason}


@pytest.mark.parametrize("copy", [False, True])
@pytest.mark.parametrize("name", ["is_leaf", "data_ptr", "own_attribute", "shape", "sum"])
@traced(Selected)
def test_attributes_that_tell(selected: Selected, copy: bool, name: str) -> None:
    selected.select()
    with selected.told(copy and name not in ("shape", "sum")):
        assert selected.asked(name, selected.variable(copy)) is hooks.DECLINED


@pytest.mark.parametrize("touched", [False, True])
@traced(Selected)
def test_versions_tell(selected: Selected, touched: bool) -> None:
    if not touched:
        assert selected.asked("_version", selected.copy) is hooks.DECLINED
        return
    selected.trace.touched[SITE] = None
    assert selected.asked("sum", selected.plain) is hooks.DECLINED
    with pytest.raises(trace_state.SiteRefused, match="^_version$"):
        selected.asked("_version", selected.copy)
    assert selected.trace.refusals == {SITE: "the function counts how often a tensor was written to"}


@pytest.mark.parametrize("name", ["register_hook", "register_post_accumulate_grad_hook", "requires_grad"])
@pytest.mark.parametrize("grad", [False, True])
@traced(Selected)
def test_hooks_need_a_gradient(selected: Selected, name: str, grad: bool) -> None:
    variable = selected.graph.variable("w", torch.ones(2, requires_grad=grad))
    if name == "requires_grad" or grad:
        assert selected.asked(name, variable) is hooks.DECLINED
    else:
        with pytest.raises(trace_state.SiteRefused, match="^a hook on a tensor that has no gradient$"):
            selected.asked(name, variable)


@pytest.mark.parametrize("copy", [False, True])
@traced(Selected)
def test_is(selected: Selected, copy: bool) -> None:
    selected.select()
    node = selected.variable(copy).as_proxy().node
    with selected.told(copy):
        found = identity_guard.watch_compare(lambda node: node.meta["example_value"], selected.trace, node)
        assert found is selected.value(copy)


def call_isinstance(*args: Any) -> Any:
    """Asks for the type from a function that has the name of the one in Dynamo that asks."""
    return identity_guard.watch_type(type, *args)


def check_type(*args: Any) -> Any:
    return identity_guard.watch_type(type, *args)


def another(*args: Any) -> Any:
    return identity_guard.watch_type(type, *args)


@pytest.mark.parametrize("parameter", [False, True])
@pytest.mark.parametrize("copy", [False, True])
@pytest.mark.parametrize("question", [call_isinstance, check_type, another])
@traced(Selected)
def test_types(selected: Selected, parameter: bool, copy: bool, question: Any) -> None:
    selected.select(parameter)
    with selected.told(parameter and copy and question is not another):
        assert question(selected.trace, selected.variable(copy)) is hooks.DECLINED


def test_modes_around_the_call() -> None:
    trace = trace_state.Trace(True, frozenset())
    noted = identity_guard.note_surroundings(trace)
    next(noted)
    assert identity_guard.FEATURE.of(trace).surroundings == identity_guard.surroundings()
    before = identity_guard.surroundings()
    with torch.autocast("cpu", dtype=torch.float16):
        assert identity_guard.surroundings() != before
    torch.set_default_dtype(torch.float64)
    try:
        assert identity_guard.surroundings() != before
    finally:
        torch.set_default_dtype(torch.float32)
    assert identity_guard.surroundings() == before


def sink(expression: str) -> types.CodeType:
    space: dict[str, Any] = {}
    exec(f"import time\ndef f(v):\n    return {expression}\n", space)
    code: types.CodeType = space["f"].__code__
    return code


class Mode(TorchFunctionMode):
    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


def in_a_block(ask: Callable[[Any], None]) -> Any:
    """A program that asks in a block of a function mode."""

    mode = Mode()

    def program(x: torch.Tensor) -> torch.Tensor:
        with mode:
            comptime(ask)
        return x + 1

    return program


LATER = "it computes what it shows under autocast or another mode"
SECOND = "the clock is read a second time behind the graph"


@pytest.mark.parametrize("clock", ["time.time()", "time.perf_counter_ns()", "time.monotonic()", "abs(1)"])
def test_clocks(clock: str) -> None:
    """The first reading of the clock behind a graph is in its place; each graph has a first."""
    trace, is_clock = trace_state.Trace(True, frozenset()), clock != "abs(1)"
    code = sink(f"print({clock})")
    identity_guard.FEATURE.of(trace).surroundings = identity_guard.surroundings()

    def ask(tx: Any) -> None:
        for reason in (None, SECOND):
            assert identity_guard.unsafe_sink(sink("print(v)"), trace, tx) is None
            assert identity_guard.unsafe_sink(code, trace, tx) == (reason if is_clock else None)

    for _ in range(2):
        in_a_trace(ask)


@pytest.mark.parametrize("expression", ["print(v)", "print(v + 1)"])
@pytest.mark.parametrize("place", ["around", "autocast", "in a block"])
def test_effects_under_modes(expression: str, place: str) -> None:
    trace = trace_state.Trace(True, frozenset())
    identity_guard.FEATURE.of(trace).surroundings = identity_guard.surroundings()

    def ask(tx: Any) -> Any:
        with torch.autocast("cpu") if place == "autocast" else contextlib.nullcontext():
            return identity_guard.unsafe_sink(sink(expression), trace, tx)

    found = in_a_trace(ask, in_a_block if place == "in a block" else plainly)
    assert found == (LATER if "+" in expression and place != "around" else None)


class Plain:
    pass


CHANGED: dict[str, tuple[Any, Any, bool]] = {
    "a stream": (sys, {"stdout": 1}, True),
    "nothing of sys": (sys, {}, False),
    "another module": (types, {"stdout": 1}, False),
    "a logger": (logging.getLogger("a"), {"level": 1}, True),
    "nothing of a logger": (logging.getLogger("a"), {}, False),
    "a handler": (logging.NullHandler(), {"level": 1}, True),
    "the loggers": (logging.root.manager, {"disable": 1}, True),
    "an adapter": (logging.LoggerAdapter(logging.getLogger("a"), {}), {"extra": 1}, True),
    "how tensors are shown": (torch._tensor_str.PRINT_OPTS, {"precision": 1}, True),
    "another object": (Plain(), {"level": 1}, False),
    "a list, of which Dynamo holds the items alone": ([], {"level": 1}, False),
}


@pytest.mark.parametrize("name", CHANGED)
@pytest.mark.parametrize("shows", [False, True])
@traced()
def test_where_effects_go(graph: Begun, name: str, shows: bool) -> None:
    value, changes, refused = CHANGED[name]
    x = graph.given("x", X)
    if shows:
        graph.graph.call_function(event, (key_of("m.py:2:0:GM301", 0), [x]))
    changed = {name: ConstantVariable.create(number) for name, number in changes.items()}
    graph.output.side_effects.store_attr_mutations[graph.variable("changed", value)] = changed
    if refused and shows:
        with pytest.raises(trace_state.SiteRefused, match="^the function changes where its effects go$"):
            identity_guard.refuse_replaced(graph.end(x), graph.output)
    else:
        identity_guard.refuse_replaced(graph.end(x), graph.output)


class Shown(Plain):
    def __repr__(self) -> str:
        return "shown"


class Kind(enum.Enum):
    A = 1


class Pair(tuple):  # type: ignore[type-arg]
    """A row with attributes, which its text does not show."""


class Slim(tuple):  # type: ignore[type-arg]
    __slots__ = ()


class Labelled(Pair):
    def __repr__(self) -> str:
        return f"{self.label}"  # type: ignore[attr-defined]


class Counted(Slim):
    def __str__(self) -> str:
        return "counted"


class Measured(Slim):
    def length(self) -> int:
        return len(VALUES)


class Asked(Slim):
    @property
    def length(self) -> int:
        return len(VALUES)


class Point(NamedTuple):
    x: int
    y: Any = 0


class Corner(NamedTuple):
    x: int

    def length(self) -> int:
        return len(VALUES)


def reason(kind: str) -> str:
    return f"it shows an object that may change before the call ends ({kind})"


VALUES: dict[str, tuple[Any, Any, Any]] = {
    "an integer": (1, None, None),
    "a size": (torch.Size([2]), None, None),
    "an enumeration": (Kind.A, None, None),
    "a logger": (logging.getLogger("a"), None, None),
    "a plain object": (Plain(), None, reason("Plain")),
    "an object with a text": (Shown(), reason("Shown"), reason("Shown")),
    "a module": (torch.nn.Linear(2, 2), reason("Linear"), reason("Linear")),
    "a list": ([1], reason("list"), reason("list")),
    "a tuple": ((1, "a"), None, None),
    "a frozen set": (frozenset([1]), None, None),
    "a tuple with a list": ((1, [1]), reason("tuple"), reason("tuple")),
    "a tuple with a tensor": ((1, X), reason("tuple"), reason("tuple")),
    "a tuple with a plain object": ((1, Plain()), None, reason("tuple")),
    "a tuple with a tuple": ((1, (2, Plain())), None, reason("tuple")),
    "a row with attributes": (Pair([1]), None, reason("Pair")),
    "a row without attributes": (Slim([1]), None, None),
    "a row with a text of attributes": (Labelled([1]), reason("Labelled"), reason("Labelled")),
    "a row with a text": (Counted([1]), reason("Counted"), reason("Counted")),
    "a row with a method": (Measured([1]), None, reason("Measured")),
    "a row with a property": (Asked([1]), None, reason("Asked")),
    "a named tuple": (Point(1), None, None),
    "a named tuple with a list": (Point(1, [2]), reason("Point"), reason("Point")),
    "a named tuple with a method": (Corner(1), None, reason("Corner")),
    "a row that torch returns": (torch.return_types.max((1, 2)), None, None),
}


@pytest.mark.parametrize("name", VALUES)
@traced()
def test_objects_that_are_shown_later(graph: Begun, name: str) -> None:
    value, alone, with_methods = VALUES[name]
    variable = graph.variable("shown", value)
    assert identity_guard.unsafe_value(variable, graph.tx, uses_methods=False) == alone
    assert identity_guard.unsafe_value(variable, graph.tx, uses_methods=True) == with_methods


@traced()
def test_an_object_of_unknown_type(graph: Begun) -> None:
    for uses_methods in (False, True):
        found = identity_guard.unsafe_value(NullVariable(), graph.tx, uses_methods)
        assert found == "it shows an object of unknown type (NullVariable)"
