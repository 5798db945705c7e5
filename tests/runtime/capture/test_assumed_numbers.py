"""Numbers that a trace has to know: which it assumes, which it takes as settled, and which it leaves open."""

from __future__ import annotations

import operator
from typing import Any, Callable, Optional

import pytest
import sympy
import torch
from live_traces import Begun, symbol_of, traced
from torch._dynamo.source import AttrSource, CallMethodItemSource, LocalSource, UnspecializedNNModuleSource
from torch.fx import Node
from torch.fx.experimental.symbolic_shapes import ShapeEnv

from graphmend.runtime.base import torch_names, trace_state
from graphmend.runtime.capture import assumptions
from graphmend.runtime.capture.assumptions import FAILED, Numbers, numbers_of

X, N, F = torch.tensor([1.0, -2.0, 3.0]), torch.tensor([0, 2]), torch.tensor([1.5, 1.0])


HELD = "L['self'].w"  # Dynamo's name for the parameter of the module


class Call(Begun):
    """A trace of a call with a row of numbers, of integers, and of floats; and with a parameter of a module."""

    def __init__(self, tx: Any) -> None:
        super().__init__(tx)
        self.x, self.n, self.f = self.given("x", X), self.given("n", N), self.given("f", F)
        self.w = self.given("w", N.clone(), module=True)

    def whole(self, node: Optional[Node] = None) -> Any:
        """The number of integers in the call, 2."""
        return self.item(self.call(torch.sum, node or self.n)).meta["example_value"]

    def floating(self, node: Optional[Node] = None) -> Any:
        return self.item(self.call(torch.sum, node or self.f)).meta["example_value"]

    def rows(self) -> Any:
        return self.call(torch.nonzero, self.x).meta["example_value"].shape[0]


Ask = Callable[[Call], Any]
# An expression that the trace has to know, its value in the call, and what the graph assumes of it.
ASSUMED: dict[str, tuple[Ask, Any, list[str]]] = {
    "an integer": (lambda c: c.whole().node.expr, 2, ["Eq(u0, 2)"]),
    "a sum": (lambda c: c.whole().node.expr + 1, 3, ["Eq(u0 + 1, 3)"]),
    "a comparison": (lambda c: (c.whole() > 1).node.expr, True, ["u0 > 1"]),
    "a comparison that is false": (lambda c: (c.whole() > 5).node.expr, False, ["u0 <= 5"]),
    "a number of rows": (lambda c: c.rows().node.expr, 3, ["Eq(u0, 3)"]),
    "two numbers": (lambda c: (c.whole() < c.rows()).node.expr, True, ["u0 < u1"]),
    "a comparison of a float": (lambda c: (c.floating() > 1.0).node.expr, True, ["zuf0 > 1.0"]),
    "a float that is no integer": (lambda c: sympy.ceiling(c.floating().node.expr), None, []),
    "a float that is an integer": (
        lambda c: sympy.Integer(2) * c.floating(c.call(torch.ceil, c.f)).node.expr,
        6.0,
        ["Eq(zuf0, 3.0)"],
    ),
    "two floats": (lambda c: (c.floating() > c.floating(c.x)).node.expr, None, []),
    "an infinite float": (lambda c: (c.floating(c.call(torch.div, c.x, 0.0)) > 1.0).node.expr, None, []),
    "a number that nobody knows": (lambda c: sympy.Symbol("u9", integer=True) + 1, None, []),
    "a number": (lambda c: sympy.Integer(5), 5, []),
    "a truth": (lambda c: sympy.true, True, []),
    "nothing": (lambda c: None, None, []),
    "a converted float": (lambda c: torch_names.ToFloat(c.whole().node.expr), None, []),
}


@pytest.mark.parametrize("name", ASSUMED)
@traced(Call)
def test_values_that_are_assumed(call: Call, name: str) -> None:
    ask, expected, facts = ASSUMED[name]
    found = assumptions.assume(call.trace, call.shapes, ask(call))
    assert found is None if expected is None else bool(found == expected) and found is not None
    numbers = numbers_of(call.trace)
    assert list(map(str, numbers.assumed)) == facts
    assert numbers.matter is bool(facts)


@pytest.mark.parametrize("name", ["another graph", "an inner graph"])
@traced(Call)
def test_nothing_is_assumed_elsewhere(call: Call, name: str) -> None:
    shapes: Any = call.shapes
    if name == "an inner graph":
        call.output.current_tracer.parent = call.output
    else:
        shapes = ShapeEnv()
    expr = call.whole().node.expr
    assert not assumptions.is_outer(shapes)
    assert assumptions.assume(call.trace, shapes, expr) is None and not numbers_of(call.trace).assumed
    assert assumptions.foretold_number(call.trace, shapes, expr) is None


@traced(Call)
def test_a_float_is_foretold(call: Call) -> None:
    assert assumptions.is_outer(call.shapes)
    assert assumptions.foretold_number(call.trace, call.shapes, call.floating().node.expr) == 2.5


@pytest.mark.parametrize("size", [2.0**24, -(2.0**24), 2.0**24 + 2, 0.5], ids=str)
@traced(Call)
def test_floats_that_are_whole(call: Call, size: float) -> None:
    """Single precision tells apart so many whole numbers."""
    number = call.floating(call.call(torch.full, (1,), size)).node.expr
    found = assumptions.with_whole_numbers(call.trace, call.shapes, number + 1)
    assert (found == size + 1) is (abs(size) <= 2**24 and size.is_integer())
    assert bool(numbers_of(call.trace).assumed) is (found != number + 1)


def asserted(call: Call) -> list[str]:
    return [str(node.args[1]) for node in call.graph.nodes if node.target is torch_names._assert_scalar]


COMPARED: dict[str, Callable[[Any], Any]] = {
    "more": lambda number: number > 1.0,
    "more or as much": lambda number: number >= 2.5,
    "less": lambda number: number < 3.0,
    "less or as much": lambda number: number <= 2.5,
    "equal": lambda number: sympy.Eq(number, 2.5),
    "not equal": lambda number: sympy.Ne(number, 1.5),
}


@pytest.mark.parametrize("name", COMPARED)
@traced(Call)
def test_comparisons_of_floats_are_asserted(call: Call, name: str) -> None:
    fact = COMPARED[name](call.floating().node.expr)
    assert assumptions.assume(call.trace, call.shapes, fact) == sympy.true
    (text,) = asserted(call)
    assert text.startswith(FAILED) and text.endswith(" on node 'item'")
    last, test = list(reversed(call.graph.nodes))[:2]
    assert last.args[0] is test and test.target is assumptions.OPERATORS[type(fact).__name__]
    assert isinstance(test.meta["example_value"], torch.SymBool)
    module = call.end(call.x)
    assert assumptions.unasserted(module, call.trace) is None
    module.recompile()
    module(X, N, F, N)
    with pytest.raises(RuntimeError, match="Runtime assertion failed"):
        other = {"equal": F + 1, "not equal": F - 0.5}.get(name, F - 9 if "more" in name else F + 9)
        module(X, N, other, N)


@traced(Call)
def test_assumptions_that_are_not_asserted(call: Call) -> None:
    number = call.whole().node.expr
    numbers_of(call.trace).assumed += [sympy.Eq(number, 2), sympy.Gt(2 * number, 3)]
    module = call.end(call.x)
    assert assumptions.unasserted(module, call.trace) == f"Eq({number}, 2)"
    end = module.graph.output_node()
    for function, args, expected in [
        (torch_names._assert_scalar, (True, f"{FAILED}Eq({number}, 3) on node 'eq'"), f"Eq({number}, 2)"),
        (torch.add, (1, f"{FAILED}Eq({number}, 2) on node 'eq'"), f"Eq({number}, 2)"),
        (torch_names._assert_scalar, (True,), f"Eq({number}, 2)"),
        (torch_names._assert_scalar, (True, f"{FAILED}{number} >= 0 on node 'ge'"), f"2*{number} > 3"),
        (torch.ops.aten._assert_scalar.default, (True, f"{FAILED}3 < 2*{number} on node 'gt'"), None),
    ]:
        with module.graph.inserting_before(end):
            module.graph.call_function(function, args)
        assert assumptions.unasserted(module, call.trace) == expected


@traced(Call)
def test_no_assumptions_need_no_assertions(call: Call) -> None:
    assert assumptions.unasserted(call.end(call.x), call.trace) is None


@pytest.mark.parametrize("symbolic", [False, True])
@traced(Call)
def test_a_number_of_a_module_is_settled(call: Call, symbolic: bool) -> None:
    numbers_of(call.trace).symbolic = symbolic
    number = call.whole(call.w)
    assert assumptions.settle(call.trace, number) == (None if symbolic else 2)
    assert list(numbers_of(call.trace).held) == ([] if symbolic else [HELD])


SETTLED: dict[str, tuple[Ask, Any]] = {
    "of an argument": (lambda c: c.whole(), None),
    "of a module": (lambda c: c.whole(c.w), 2),
    "of both": (lambda c: c.whole(c.w) + c.whole(), None),
    "of a module twice": (lambda c: c.whole(c.w) + c.whole(c.w), 4),
    "a truth": (lambda c: c.whole(c.w) > 1, True),
    "a truth that is false": (lambda c: c.whole(c.w) > 2, False),
    "a float": (lambda c: c.floating(), None),
    "a Python number": (lambda c: 5, None),
    "a draw": (lambda c: c.whole(c.call(torch.randint_like, c.w, 9)), None),
}


@pytest.mark.parametrize("name", SETTLED)
@traced(Call)
def test_settled_numbers(call: Call, name: str) -> None:
    ask, expected = SETTLED[name]
    found = assumptions.settle(call.trace, ask(call))
    assert found == expected and type(found) is type(expected)
    assert numbers_of(call.trace).assumed == [] or expected is not None


@pytest.mark.parametrize("name", ["of an argument", "of both", "a draw"])
@traced(Call)
def test_numbers_are_fixed_where_the_trace_has_too_many(call: Call, name: str) -> None:
    numbers_of(call.trace).fixed = True
    found = assumptions.settle(call.trace, SETTLED[name][0](call))
    assert type(found) is int and numbers_of(call.trace).assumed


def read_in_front(call: Call, hint: int = 7, module: bool = False, name: str = "k") -> Any:
    """A number that Dynamo reads from an input in front of the graph, with the symbol's source."""
    base: Any = LocalSource(name)
    if module:
        base = AttrSource(UnspecializedNNModuleSource(LocalSource("self")), name)
    source = CallMethodItemSource(base)
    symbol = call.shapes.create_unspecified_symbol(hint, source)
    return call.shapes.create_symintnode(symbol, hint=hint, source=source)


@traced(Call)
def test_numbers_that_are_read_in_front_of_the_graph(call: Call) -> None:
    number = read_in_front(call)
    assert assumptions.items_in(number) == number.node.expr.free_symbols != set()
    assert assumptions.items_in(call.whole()) == set()
    assert assumptions.settle(call.trace, number) is None and assumptions.fix(call.trace, number) == 7
    assert numbers_of(call.trace).constants
    numbers_of(call.trace).items = False
    assert assumptions.fix(call.trace, read_in_front(call, 9, name="other")) is None


@pytest.mark.parametrize("earlier", [7, 8, None, "none"])
@traced(Call)
def test_a_number_of_a_module_that_is_read_in_front(call: Call, earlier: Any) -> None:
    """One that had another value in an earlier trace is not settled."""
    if earlier != "none":
        numbers_of(call.trace).held["L['self'].k"] = earlier
    found = assumptions.settle(call.trace, read_in_front(call, 7, True))
    assert found == (None if earlier == 8 else 7)
    assert numbers_of(call.trace).held["L['self'].k"] == (8 if earlier == 8 else 7)


@pytest.mark.parametrize("known", [True, False])
@traced(Call)
def test_sizes_are_fixed(call: Call, known: bool) -> None:
    node = call.call(torch.nonzero, call.x if known else call.input("strange"))
    assert assumptions.fix_shape(call.trace, node.meta["example_value"]) is known
    assert bool(numbers_of(call.trace).assumed) is known
    assert assumptions.fix_shape(call.trace, call.x.meta["example_value"])


def note(call: Call, node: Node) -> None:
    """Tell the trace of a node, as Dynamo does."""
    seen: list[Any] = []
    value = node.meta["example_value"]
    assumptions.note_example(lambda *args: seen.extend(args), call.trace, node, value)
    assert seen[0] is node and seen[1] is value


NOTED: dict[str, tuple[Callable[[Call], Node], int, bool]] = {
    "a sum": (lambda c: c.call(torch.add, c.x, 1), 0, False),
    "rows": (lambda c: c.call(torch.nonzero, c.x), 1, True),
    "rows of a module": (lambda c: c.call(torch.nonzero, c.w), 0, True),
    "a number": (lambda c: c.item(c.call(torch.sum, c.n)), 1, True),
    "a number of numbers": (lambda c: c.call(operator.add, c.item(c.call(torch.sum, c.n)), 1), 0, False),
}


@pytest.mark.parametrize("symbolic", [False, True])
@pytest.mark.parametrize("name", NOTED)
@traced(Call)
def test_symbols_are_counted(call: Call, name: str, symbolic: bool) -> None:
    build, count, matter = NOTED[name]
    numbers = numbers_of(call.trace)
    numbers.symbolic = symbolic
    note(call, build(call))
    assert numbers.symbols == (1 if symbolic and matter else count) and numbers.matter is matter
    assert list(numbers.held) == ([HELD] if "module" in name and not symbolic else [])
    assert len(numbers.assumed) == len(numbers.held) and not numbers.crowded and not numbers.fixed


@pytest.mark.parametrize("symbolic", [False, True])
@traced(Call)
def test_too_many_symbols(call: Call, symbolic: bool) -> None:
    numbers = numbers_of(call.trace)
    numbers.symbolic = symbolic
    limit = 32 if symbolic else 16
    for count in range(1, limit + 2):
        note(call, call.call(torch.nonzero, call.call(torch.add, call.x, 9)))
        assert (numbers.crowded, numbers.fixed) == (count > limit, count > limit)
    assert len(numbers.assumed) == limit + 1
    note(call, call.call(torch.nonzero, call.call(torch.add, call.x, 9)))
    assert len(numbers.assumed) == limit + 2


@traced(Call)
def test_a_list_counts_its_numbers(call: Call) -> None:
    assumptions.note_list(call.trace, (1, 2), 5)
    numbers = numbers_of(call.trace)
    assert numbers.lists == [(1, 2)] and numbers.symbols == 5
    numbers.assumed.append(sympy.Symbol("u3") > 1)
    assert assumptions.route(call.trace, (True, False)) == (True, False, "u3 > 1", "(1, 2)")


@traced(Call)
def test_numbers_matter_where_they_are_noted(call: Call) -> None:
    assert not numbers_of(call.trace).matter
    assumptions.note_numbers(call.trace)
    assert numbers_of(call.trace) == Numbers(matter=True)


CHANGES: dict[str, tuple[Callable[[Call], Any], bool]] = {
    "nothing": (lambda c: None, False),
    "a write to what is held": (lambda c: c.method("add_", c.w, 1), True),
    "a write to an argument": (lambda c: c.method("add_", c.n, 1), False),
    "a write through a view": (lambda c: c.method("add_", c.method("view", c.w, 2, 1), 1), True),
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("kind", ["held", "symbolic", "nothing held"])
@traced(Call)
def test_graphs_that_change_what_they_take_for_settled(call: Call, name: str, kind: str) -> None:
    build, changes = CHANGES[name]
    numbers = numbers_of(call.trace)
    numbers.symbolic = kind == "symbolic"
    if kind != "nothing held":
        assumptions.hold(call.trace, [call.w, call.call(torch.neg, call.w)])
    build(call)
    module = call.end(call.x)
    expected = changes and kind == "held"
    assert assumptions.changes_what_is_held(module, call.trace) is expected
    if expected:
        with pytest.raises(trace_state.SiteRefused, match="^the call changes a number that it takes for settled$"):
            assumptions.refuse_changed(module, call.trace)
    else:
        assumptions.refuse_changed(module, call.trace)
    assert numbers.moving is expected


@traced(Call)
def test_what_is_held_stays_held(call: Call) -> None:
    numbers_of(call.trace).held[HELD] = 7
    assumptions.hold(call.trace, [call.w])
    assert numbers_of(call.trace).held == {HELD: 7}


@traced(Call)
def test_a_number_that_an_operator_fetches_is_bound(call: Call) -> None:
    """The graph gets a node for it, in front of the operator; a node for `item` is one already."""
    tensor = call.call(torch.sum, call.n)
    tensor.meta["stack_trace"] = "here"
    node = call.call(torch.neg, call.x)
    node.meta["stack_trace"] = "there"
    with call.mode:
        number = tensor.meta["example_value"].item()
    assumptions.bind(call.trace, ShapeEnv(), tensor.meta["example_value"], number)
    assert numbers_of(call.trace) == Numbers()
    assumptions.bind(call.trace, call.shapes, tensor.meta["example_value"], number)
    item = next(part for part in call.graph.nodes if part.target == "item")
    assert item.args == (tensor,) and item.next is node and item.meta["stack_trace"] == "there"
    assert list(item.meta["unbacked_bindings"]) == [symbol_of(item)] and item.meta["example_value"] is number
    assert numbers_of(call.trace).matter
    again = call.item(call.call(torch.sum, call.n))
    count = len(call.graph.nodes)
    assumptions.bind(call.trace, call.shapes, tensor.meta["example_value"], again.meta["example_value"])
    assumptions.bind(call.trace, call.shapes, torch.ones(1), number)
    assert len(call.graph.nodes) == count


@pytest.mark.parametrize(
    ("module", "fixed", "symbolic", "settled"),
    [
        (False, False, False, False),
        (False, True, False, True),
        (True, False, False, True),
        (True, False, True, False),
        (True, True, True, True),
    ],
)
@traced(Call)
def test_numbers_that_operators_fetch_are_settled(
    call: Call, module: bool, fixed: bool, symbolic: bool, settled: bool
) -> None:
    """As those that the program fetches: all of a trace with too many numbers, and those of modules."""
    numbers = numbers_of(call.trace)
    numbers.fixed, numbers.symbolic = fixed, symbolic
    value = call.call(torch.sum, call.w if module else call.n).meta["example_value"]
    call.call(torch.neg, call.x)  # stands for the operator
    with call.mode:
        number = assumptions.fetch_number(
            lambda mode, operator, value: value.item(), call.trace, call.mode, None, value
        )
    assert [fetched[1:] for fetched in numbers.fetches] == [(value, number)]
    assert list(map(str, numbers.assumed)) == (["Eq(u0, 2)"] if settled else [])
