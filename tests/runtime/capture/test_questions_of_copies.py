"""Questions by which a program could tell a copy from its source, or a later effect from one in its place."""

from __future__ import annotations

import contextlib
import enum
import logging
import operator
import sys
import types
from typing import Any, Callable

import pytest
import torch
from begun_traces import Begun
from torch._dynamo.variables import ConstantVariable, SymNodeVariable
from torch.fx import Node, Proxy

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
def test_numbers_that_are_dropped(name: str) -> None:
    build, expected = DROPPED[name]
    graph = Begun()
    node = build(graph, graph.given("x", X))
    assert identity_guard.drops_numbers(node) is expected
    made, seen = object(), []

    def create(*args: Any, **options: Any) -> object:
        seen.append((args, options))
        return made

    for is_whole in (False, True):
        call = create, trace_state.Trace(is_whole, frozenset()), SymNodeVariable, None, Proxy(node), 1
        if expected and is_whole:
            with pytest.raises(trace_state.SiteRefused, match="^what it computes with numbers from tensors is another"):
                identity_guard.create_number(*call, option=2)
        else:
            assert identity_guard.create_number(*call, option=2) is made
        assert seen[-1][0][1:] == (None, call[4], 1) and seen[-1][1] == {"option": 2}


def symbol(data: bool = True) -> Any:
    """Dynamo's variable for a number that data decide, or for one that is there before the graph."""
    graph = Begun()
    node = whole(graph, graph.given("x", X))
    value = node.meta["example_value"]
    if not data:
        node = graph.keep(graph.graph.placeholder("y"), graph.mode.from_tensor(torch.ones(5, 2)))
        value = node.meta["example_value"].shape[0]
    return SymNodeVariable(Proxy(node), value)


def test_variables_of_numbers() -> None:
    one, text = ConstantVariable.create(1), ConstantVariable.create("text")
    assert [identity_guard.is_number(item) for item in (one, ConstantVariable.create(True), text)] == [
        True,
        True,
        False,
    ]
    assert identity_guard.is_number(ConstantVariable.create(1.5)) and not identity_guard.is_number(symbol())
    assert identity_guard.is_symbolic(symbol()) and not identity_guard.is_symbolic(one)
    found = [identity_guard.decided_by_data(item) for item in (symbol(), symbol(data=False), one)]
    assert found == [True, False, False]


def program() -> None:
    """Code of a program."""


POLYFILL = torch._dynamo.polyfills.radians.__code__
QUESTIONS: dict[str, tuple[bool, str, list[Any], Any, bool]] = {
    "is": (True, "is", [symbol(), ConstantVariable.create(True)], program.__code__, True),
    "is not": (True, "is not", [ConstantVariable.create(1), symbol()], program.__code__, True),
    "equal": (True, "==", [symbol(), ConstantVariable.create(1)], program.__code__, False),
    "in a part of a call": (False, "is", [symbol(), ConstantVariable.create(1)], program.__code__, False),
    "of a text": (True, "is", [symbol(), ConstantVariable.create("text")], program.__code__, False),
    "of None": (True, "is", [symbol(), ConstantVariable.create(None)], program.__code__, False),
    "of two numbers": (True, "is", [ConstantVariable.create(1)] * 2, program.__code__, False),
    "of two symbols": (True, "is", [symbol(), symbol()], program.__code__, False),
    "in Dynamo's own code": (True, "is", [symbol(), ConstantVariable.create(1)], POLYFILL, False),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_questions_which_object_a_number_is(name: str) -> None:
    is_whole, sign, sides, code, refused = QUESTIONS[name]
    trace, tx = trace_state.Trace(is_whole, frozenset()), types.SimpleNamespace(f_code=code)
    assert identity_guard.is_polyfill(code) is (code is POLYFILL)
    if refused:
        with pytest.raises(trace_state.SiteRefused, match="^the function asks which object a number is that data"):
            identity_guard.compare_objects(print, trace, sign, tx, sides, {})
    else:
        assert identity_guard.compare_objects(print, trace, sign, tx, sides, {}) is hooks.DECLINED


class Selected:
    """A trace with a selected copy, and a tensor that is none."""

    def __init__(self, parameter: bool = False, none: bool = False) -> None:
        self.graph = Begun()
        self.trace = self.graph.trace
        self.plain = self.graph.given("x", X)
        self.copy = self.graph.call(torch.neg, self.plain)
        if not none:
            identity_guard.note_selected(self.trace, SITE, self.copy.meta["example_value"], parameter)

    def variable(self, copy: bool, grad: bool = True) -> Any:
        node = self.copy if copy else self.plain
        return types.SimpleNamespace(as_proxy=lambda: Proxy(node), requires_grad=grad)

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
def test_attributes_that_tell(copy: bool, name: str) -> None:
    selected = Selected()
    with selected.told(copy and name not in ("shape", "sum")):
        found = identity_guard.watch_attribute(print, selected.trace, selected.variable(copy), None, name)
        assert found is hooks.DECLINED


@pytest.mark.parametrize("touched", [False, True])
def test_versions_tell(touched: bool) -> None:
    selected = Selected(none=True)
    if not touched:
        assert (
            identity_guard.watch_attribute(print, selected.trace, selected.variable(True), None, "_version")
            is hooks.DECLINED
        )
        return
    selected.trace.touched[SITE] = None
    assert (
        identity_guard.watch_attribute(print, selected.trace, selected.variable(False), None, "sum") is hooks.DECLINED
    )
    with pytest.raises(trace_state.SiteRefused, match="^_version$"):
        identity_guard.watch_attribute(print, selected.trace, selected.variable(True), None, "_version")
    assert selected.trace.refusals == {SITE: "the function counts how often a tensor was written to"}


@pytest.mark.parametrize("name", ["register_hook", "register_post_accumulate_grad_hook", "requires_grad"])
@pytest.mark.parametrize("grad", [False, True])
def test_hooks_need_a_gradient(name: str, grad: bool) -> None:
    selected = Selected(none=True)
    call = print, selected.trace, selected.variable(False, grad), None, name
    if name == "requires_grad" or grad:
        assert identity_guard.watch_attribute(*call) is hooks.DECLINED
    else:
        with pytest.raises(trace_state.SiteRefused, match="^a hook on a tensor that has no gradient$"):
            identity_guard.watch_attribute(*call)


@pytest.mark.parametrize("copy", [False, True])
def test_is(copy: bool) -> None:
    selected = Selected()
    node = selected.copy if copy else selected.plain
    with selected.told(copy):
        found = identity_guard.watch_compare(lambda node: node.meta["example_value"], selected.trace, node)
        assert found is node.meta["example_value"]


@pytest.mark.parametrize("parameter", [False, True])
@pytest.mark.parametrize("copy", [False, True])
@pytest.mark.parametrize("question", ["call_isinstance", "check_type", "another"])
def test_types(monkeypatch: pytest.MonkeyPatch, parameter: bool, copy: bool, question: str) -> None:
    frame = types.SimpleNamespace(f_code=types.SimpleNamespace(co_name=question))
    monkeypatch.setattr(hooks, "calling_frame", lambda: frame)
    selected = Selected(parameter)
    with selected.told(parameter and copy and question != "another"):
        assert identity_guard.watch_type(type, selected.trace, selected.variable(copy)) is hooks.DECLINED


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


def frame(*, blocks: int = 0, output: Any = None) -> Any:
    """What Dynamo holds of a frame that has entered some blocks of modes."""
    output = output or types.SimpleNamespace()
    output.torch_function_mode_stack = [1]
    stack = types.SimpleNamespace(mode_stack=[1] * (1 + blocks))
    return types.SimpleNamespace(output=output, symbolic_torch_function_state=stack)


LATER = "it computes what it shows under autocast or another mode"
SECOND = "the clock is read a second time behind the graph"


@pytest.mark.parametrize("clock", ["time.time()", "time.perf_counter_ns()", "time.monotonic()", "abs(1)"])
def test_clocks(clock: str) -> None:
    """The first reading of the clock behind a graph is in its place; each graph has a first."""
    trace, first, second = trace_state.Trace(True, frozenset()), frame(), frame()
    is_clock = clock != "abs(1)"
    code = sink(f"print({clock})")
    identity_guard.FEATURE.of(trace).surroundings = identity_guard.surroundings()
    for tx, reason in [(first, None), (first, SECOND), (second, None), (second, SECOND)]:
        assert identity_guard.unsafe_sink(sink("print(v)"), trace, tx) is None
        assert identity_guard.unsafe_sink(code, trace, tx) == (reason if is_clock else None)


@pytest.mark.parametrize("expression", ["print(v)", "print(v + 1)"])
@pytest.mark.parametrize("place", ["around", "autocast", "in a block"])
def test_effects_under_modes(expression: str, place: str) -> None:
    trace = trace_state.Trace(True, frozenset())
    identity_guard.FEATURE.of(trace).surroundings = identity_guard.surroundings()
    around = torch.autocast("cpu") if place == "autocast" else contextlib.nullcontext()
    with around:
        found = identity_guard.unsafe_sink(sink(expression), trace, frame(blocks=place == "in a block"))
    assert found == (LATER if "+" in expression and place != "around" else None)


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
    "another object": (Begun(), {"level": 1}, False),
    "an unknown object": (None, {"level": 1}, False),
}


@pytest.mark.parametrize("name", CHANGED)
@pytest.mark.parametrize("shows", [False, True])
def test_where_effects_go(name: str, shows: bool) -> None:
    value, changes, refused = CHANGED[name]
    graph = Begun()
    x = graph.given("x", X)
    if shows:
        graph.graph.call_function(event, (key_of("m.py:2:0:GM301", 0), [x]))
    variable = types.SimpleNamespace(value=value) if value is not None else types.SimpleNamespace()
    effects = types.SimpleNamespace(store_attr_mutations=types.SimpleNamespace(items=lambda: [(variable, changes)]))
    output = types.SimpleNamespace(side_effects=effects)
    if refused and shows:
        with pytest.raises(trace_state.SiteRefused, match="^the function changes where its effects go$"):
            identity_guard.refuse_replaced(graph.end(x), output)
    else:
        identity_guard.refuse_replaced(graph.end(x), output)


class Plain:
    pass


class Shown(Plain):
    def __repr__(self) -> str:
        return "shown"


class Kind(enum.Enum):
    A = 1


def variable(kind: Any, *parts: Any) -> Any:
    """A variable for an object of a type, which may have items."""

    def type_of() -> Any:
        if kind is None:
            raise NotImplementedError
        return kind

    made = types.SimpleNamespace(python_type=type_of, is_tensor=lambda: kind is torch.Tensor)
    if parts:
        made.items, made.unpack_var_sequence = parts, lambda tx: list(parts)
    return made


def reason(kind: str) -> str:
    return f"it shows an object that may change before the call ends ({kind})"


VALUES: dict[str, tuple[Any, Any, Any]] = {
    "an integer": (variable(int), None, None),
    "a size": (variable(torch.Size), None, None),
    "an enumeration": (variable(Kind), None, None),
    "a logger": (variable(logging.Logger), None, None),
    "a plain object": (variable(Plain), None, reason("Plain")),
    "an object with a text": (variable(Shown), reason("Shown"), reason("Shown")),
    "a module": (variable(torch.nn.Linear), reason("Linear"), reason("Linear")),
    "a list": (variable(list, variable(int)), reason("list"), reason("list")),
    "a tuple": (variable(tuple, variable(int), variable(str)), None, None),
    "a frozen set": (variable(frozenset, variable(int)), None, None),
    "a tuple with a list": (variable(tuple, variable(int), variable(list)), reason("tuple"), reason("tuple")),
    "a tuple with a tensor": (variable(tuple, variable(torch.Tensor)), reason("tuple"), reason("tuple")),
    "a tuple with a plain object": (variable(tuple, variable(Plain)), None, reason("tuple")),
    "a tuple that is not read": (variable(tuple), reason("tuple"), reason("tuple")),
    "of unknown type": (
        variable(None),
        *["it shows an object of unknown type (SimpleNamespace)"] * 2,
    ),
}


@pytest.mark.parametrize("name", VALUES)
def test_objects_that_are_shown_later(name: str) -> None:
    value, alone, with_methods = VALUES[name]
    assert identity_guard.unsafe_value(value, None, uses_methods=False) == alone
    assert identity_guard.unsafe_value(value, None, uses_methods=True) == with_methods
