"""Assumptions of a whole-call graph about numbers and sizes that depend on data.

    n = int(mask.sum())     # a symbol: data decide the number
    if n == 1:              # the trace has to know the answer
        return x[mask][0]

The trace follows the present call: path speculation (`path_speculation.py`) foretells the number, as it does for the
answer of a decision. The comparison with this number becomes an assumption of the graph, asserted inside the graph and
checked behind it (`assumption_checks.py`). A call that breaks an assumption runs again in another way.
"""

from __future__ import annotations

import dataclasses
import math
import operator
from typing import Any, Optional

import torch
from torch.fx import GraphModule, Node

from ..analysis import node_facts
from ..base import hooks, torch_names, trace_state
from ..base.dynamo_values import source_name, translator
from .path_speculation import is_of_module, nodes_from_modules, path_of, source_of


@dataclasses.dataclass
class Numbers:
    """The data-dependent numbers and sizes of one trace. The first four fields are settings of the attempt."""

    symbolic: bool = False  # numbers stay symbolic, however many there are
    items: bool = True  # numbers in inputs may be constants, too
    fixed: bool = False  # numbers are constants of the graph, from here on
    held: dict[str, Any] = dataclasses.field(default_factory=dict)  # numbers of modules by source; None for tensors
    matter: bool = False  # the trace has met such a number, so another treatment may help
    constants: bool = False  # a number in an input is a constant of the graph
    symbols: int = 0  # numbers that the graph takes from data
    crowded: bool = False  # the numbers became constants because they are many
    assumed: list[Any] = dataclasses.field(default_factory=list)  # facts that the graph assumes, as expressions
    lists: list[Any] = dataclasses.field(default_factory=list)  # lists of numbers, each assumed as a whole
    fetches: list[Any] = dataclasses.field(default_factory=list)  # nodes of operators, with a tensor and its number
    moving: bool = False  # the graph writes to numbers in `held`
    complete: bool = False  # a compiler has the graph, which can assert no more facts


FEATURE = hooks.Feature(__name__, hooks.GUARD, "numbers that a trace has to know", state=Numbers)

FETCH = (torch.ops.aten._local_scalar_dense.default, torch.ops.aten.item.default)
# By the names of sympy's classes.
OPERATORS = {
    "StrictLessThan": operator.lt,
    "LessThan": operator.le,
    "StrictGreaterThan": operator.gt,
    "GreaterThan": operator.ge,
    "Equality": operator.eq,
    "Unequality": operator.ne,
}
# Limits of symbols in a graph: Inductor needs a minute for 24 symbols, more than ten for 48, seconds for constants.
MANY, MOST = 16, 32
LARGEST = 2**24  # of the whole numbers that single precision tells apart
FAILED = "Runtime assertion failed for expression "


def numbers_of(trace: trace_state.Trace) -> Numbers:
    """The data-dependent numbers of a trace."""
    return FEATURE.of(trace)


def note_numbers(trace: trace_state.Trace) -> None:
    """Note a data-dependent number."""
    FEATURE.of(trace).matter = True


def complete_graph(trace: trace_state.Trace) -> None:
    """Note that a compiler gets the graph: nothing more is assumed."""
    FEATURE.of(trace).complete = True


def note_list(trace: trace_state.Trace, numbers: Any, count: int) -> None:
    """Note a list of numbers that the graph assumes as a whole."""
    known = FEATURE.of(trace)
    known.lists.append(numbers)
    known.symbols += count


def route(trace: trace_state.Trace, answers: tuple[bool, ...]) -> tuple[Any, ...]:
    """The answers and assumptions that a graph rests on, in a comparable form."""
    numbers = FEATURE.of(trace)
    return (*answers, *map(str, numbers.assumed), *map(str, numbers.lists))


def refuse_changed(module: GraphModule, trace: trace_state.Trace) -> None:
    """Refuse a graph that writes to module data taken for settled."""
    if changes_what_is_held(module, trace):
        FEATURE.of(trace).moving = True
        raise trace_state.SiteRefused("the call changes a number that it takes for settled")


@FEATURE.hook("shape.evaluate")
def evaluate(call: Any, trace: trace_state.Trace, self: Any, expr: Any, *args: Any, **kwargs: Any) -> Any:
    """Assume the value of a shape expression where Dynamo cannot decide a guard on numbers that depend on data."""
    from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

    try:
        return call(self, expr, *args, **kwargs)
    except GuardOnDataDependentSymNode:
        value = assume(trace, self, expr)
        if value is None:
            raise
        return value


@FEATURE.hook("number.create")
def create_number(create: Any, trace: trace_state.Trace, cls: Any, tx: Any, *args: Any, **kwargs: Any) -> Any:
    """Write a number into the graph as a constant where the trace fixes its value."""
    from ..base.torch_names import SymNodeVariable, VariableTracker

    variable = create(cls, tx, *args, **kwargs)
    number = settle(trace, variable.sym_num) if isinstance(variable, SymNodeVariable) else None
    return variable if number is None else VariableTracker.build(tx, number)


@FEATURE.hook("graph.example")
def note_example(note: Any, trace: trace_state.Trace, node: Node, value: Any) -> None:
    """Count the symbols of a new node, and fix sizes where the graph has too many symbols."""
    note(node, value)
    numbers = FEATURE.of(trace)
    numbers.matter = numbers.matter or (is_number(value) and bool(items_in(value)))
    if "unbacked_bindings" in node.meta:
        numbers.matter = True
        origins = None if numbers.symbolic else nodes_from_modules(node)
        hold(trace, origins or [])
        numbers.symbols += len(node.meta["unbacked_bindings"]) if origins is None else 0
        if numbers.fixed or origins is not None:
            fix_sizes(trace, node)
        elif numbers.symbols > (MOST if numbers.symbolic else MANY):
            numbers.crowded = True
            fix_all(trace)
    if numbers.fixed and isinstance(value, torch.Tensor):
        for size in value.shape:
            if isinstance(size, torch.SymInt):
                with_whole_numbers(trace, size.node.shape_env, size.node.expr)


@FEATURE.hook("number.fetch")
def fetch_number(fetch: Any, trace: trace_state.Trace, mode: Any, operator: Any, value: Any) -> Any:
    """Note the tensor from which a number is fetched."""
    memo = value.item_memo
    number = fetch(mode, operator, value)
    if memo is None:
        bind(trace, mode.shape_env, value, number)
    settle(trace, number)
    if (graph := translator().output.graph).nodes:
        FEATURE.of(trace).fetches.append((next(iter(reversed(graph.nodes))), value, number))
    return number


def assume(trace: trace_state.Trace, shapes: Any, expr: Any) -> Any:
    """The value of an expression in this call, assumed by the graph from here on; None if the value is unknown."""
    expr = with_whole_numbers(trace, shapes, expr)
    if expr is not None and (expr.is_number or expr.is_Boolean) and not expr.free_symbols:
        return expr
    values = None if expr is None else foretold_values(trace, shapes, expr)
    if values is None or shapes._suppress_guards_tls() or FEATURE.of(trace).complete:
        return None
    import sympy

    from ..base.torch_names import SymT, symbol_is_type

    value = expr.xreplace(values).xreplace(shapes.backed_var_to_val)
    if not (value.is_number or value in (sympy.true, sympy.false)):
        return None
    fact = expr if value is sympy.true else sympy.Not(expr) if value is sympy.false else sympy.Eq(expr, value)
    note_numbers(trace)
    if not shapes.guard_or_defer_runtime_assert(fact, "assumed of this call"):
        return None
    FEATURE.of(trace).assumed.append(fact)
    if any(symbol_is_type(symbol, SymT.UNBACKED_FLOAT) for symbol in values):
        assert_comparison(shapes, fact)
    return value


def with_whole_numbers(trace: trace_state.Trace, shapes: Any, expr: Any) -> Any:
    """The expression with floating-point numbers replaced by whole numbers, where they are not just compared.

    Sizes come from such numbers: `torch.arange(0, torch.ceil(length / step).item())`. The graph assumes each number.
    """
    import sympy

    from ..base.torch_names import SymT, symbol_is_type

    symbols = expr.free_symbols if expr is not None else ()
    floats = [symbol for symbol in symbols if symbol_is_type(symbol, SymT.UNBACKED_FLOAT)]
    if not floats or (isinstance(expr, sympy.core.relational.Relational) and set(floats) & set(expr.args)):
        return expr
    known = {}
    for symbol in floats:
        value = foretold_number(trace, shapes, symbol)
        if value is None or not float(value).is_integer() or abs(value) > LARGEST:
            return expr
        if assume(trace, shapes, sympy.Eq(symbol, sympy.Float(value))) is not sympy.true:
            return expr
        known[symbol] = sympy.Float(value)
    return expr.xreplace(known)


def foretold_number(trace: trace_state.Trace, shapes: Any, symbol: Any) -> Optional[Any]:
    """The number behind a symbol in this call; None in an inner graph, and where the number is unknown."""
    output = translator().output
    return path_of(trace, output).number(output.graph, symbol) if is_outer(shapes) else None


def is_outer(shapes: Any) -> bool:
    """Whether symbols are those of the graph of the call, and the trace is not in an inner graph."""
    output = translator().output
    return output.shape_env is shapes and output.current_tracer.parent is None


def assert_comparison(shapes: Any, fact: Any) -> None:
    """Assert a comparison of a floating-point number with a constant; Dynamo itself asserts comparisons of integers."""
    from torch.fx.experimental.symbolic_shapes import canonicalize_bool_expr

    graph = translator().output.graph
    last = next(iter(reversed(graph.nodes)))
    item = source_of(graph, *fact.free_symbols)
    assert item is not None  # path speculation has read the value of this node
    sides = [item if side.is_Symbol else float(side) for side in fact.args]
    with graph.inserting_after(last):
        test = graph.call_function(OPERATORS[type(fact).__name__], tuple(sides))
        values = [side.meta["example_value"] if side is item else side for side in sides]
        test.meta["example_value"] = test.target(*values)
    with graph.inserting_after(test):
        graph.call_function(
            torch_names._assert_scalar, (test, f"{FAILED}{canonicalize_bool_expr(fact)} on node 'item'")
        )


def foretold_values(trace: trace_state.Trace, shapes: Any, expr: Any) -> Optional[dict[Any, Any]]:
    """The values of the data-dependent symbols in an expression; None if a value is unknown or unreliable.

    A floating-point number is only compared with a constant, because compiled arithmetic may round in another order.
    """
    import sympy

    from ..base.torch_names import SymT, ToFloat, symbol_is_type

    output = translator().output
    if not is_outer(shapes) or expr.has(ToFloat):
        return None
    path = path_of(trace, output)
    values: dict[Any, Any] = {}
    for symbol in expr.free_symbols:
        if symbol in shapes.backed_var_to_val:
            continue
        value = path.number(output.graph, symbol)
        if symbol_is_type(symbol, SymT.UNBACKED_FLOAT):
            is_compared = isinstance(expr, sympy.core.relational.Relational) and symbol in expr.args
            if value is None or not is_compared or not math.isfinite(value) or len(expr.free_symbols) != 1:
                return None
            if value == 0 and math.copysign(1, value) < 0:
                return None  # sympy has no -0.0, and the constant would be 0.0
            values[symbol] = sympy.Float(value)
        elif not symbol_is_type(symbol, SymT.UNBACKED_INT) or value is None:
            return None
        else:
            values[symbol] = sympy.Integer(int(value))
    return values


def bind(trace: trace_state.Trace, shapes: Any, value: Any, number: Any) -> None:
    """Add an `item` node for a number that an operator fetches implicitly from a tensor argument.

    Without the node the graph would have a symbol without a source.
    """
    from torch.fx.experimental.symbolic_shapes import compute_unbacked_bindings

    graph = translator().output.graph
    last = next(iter(reversed(graph.nodes)), None)
    if translator().output.shape_env is not shapes or last is None or last.target == "item":
        return
    for node in graph.nodes:
        if node.meta.get("example_value") is value:
            note_numbers(trace)
            with graph.inserting_before(last):
                item = graph.call_method("item", (node,))
            item.meta = {key: last.meta[key] for key in ("stack_trace", "nn_module_stack") if key in last.meta}
            item.meta["example_value"] = number
            bindings = compute_unbacked_bindings(shapes, number)  # empty for `x[i] = number`
            item.meta["unbacked_bindings"] = bindings or {number.node.expr: ()}
            return


def settle(trace: trace_state.Trace, number: Any) -> Any:
    """The Python number behind a symbolic integer or truth value where the trace fixes the number; otherwise None."""
    numbers = FEATURE.of(trace)
    if not numbers.fixed and (numbers.symbolic or not is_number(number) or not is_settled(trace, number)):
        return None
    return fix(trace, number)


def is_settled(trace: trace_state.Trace, number: Any) -> bool:
    """Whether all data behind a number are held by modules, and no earlier trace has read another value there."""
    graph, shapes = translator().output.graph, number.node.shape_env
    symbols, items = number.node.expr.free_symbols, items_in(number)
    held: dict[str, Any] = {}
    for symbol in symbols:
        if symbol in items:
            source = shapes.var_to_sources[symbol][0].base
            if not is_of_module(source):
                return False
            held[source_name(source)] = shapes.backed_var_to_val[symbol]
        elif symbol in shapes.backed_var_to_val:
            return False
        else:
            node = source_of(graph, symbol)
            origins = nodes_from_modules(node) if node is not None else None
            if origins is None:
                return False
            hold(trace, origins)
    earlier = FEATURE.of(trace).held
    if any(earlier.get(name, value) not in (value, None) for name, value in held.items()):
        return False
    earlier.update(held)
    return bool(symbols)


def hold(trace: trace_state.Trace, origins: list[Node]) -> None:
    """Note the inputs from modules whose values the graph takes for settled."""
    for node in origins:
        if node.op == "placeholder":
            FEATURE.of(trace).held.setdefault(source_name(node.meta["grapharg"].source), None)


def changes_what_is_held(module: GraphModule, trace: trace_state.Trace) -> bool:
    """Whether a graph writes to module data taken for settled, so that the next call has other numbers."""
    numbers = FEATURE.of(trace)
    if numbers.symbolic or not numbers.held:
        return False
    inputs = [node for node in module.graph.nodes if node.op == "placeholder" and "grapharg" in node.meta]
    held = (node for node in inputs if source_name(node.meta["grapharg"].source) in numbers.held)
    storages = node_facts.storages_in(held)
    return any(not storages.isdisjoint(node_facts.writes_of(node)) for node in module.graph.nodes)


def fix(trace: trace_state.Trace, number: Any) -> Any:
    """The Python number of a symbolic integer or truth value in this call; None if the number is unknown."""
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

    if not is_number(number):
        return None
    expr = number.node.expr
    if free_unbacked_symbols(number):
        expr = assume(trace, number.node.shape_env, expr)
    elif (numbers := FEATURE.of(trace)).items and expr.free_symbols and items_in(number) == expr.free_symbols:
        numbers.constants = True
        return bool(number) if isinstance(number, torch.SymBool) else int(number)  # Dynamo adds a guard
    if expr is None or not (expr.is_number or expr.is_Boolean):
        return None
    return bool(expr) if isinstance(number, torch.SymBool) else int(expr)


def fix_shape(trace: trace_state.Trace, value: torch.Tensor) -> bool:
    """Whether the sizes of a tensor are known; open sizes are fixed to the sizes of this call."""
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

    for size in value.shape:
        if free_unbacked_symbols(size) and fix(trace, size) is None:
            return False
    return all(int(size) >= 0 for size in value.shape)  # Dynamo adds a guard


def is_number(value: Any) -> bool:
    """Whether a value is a symbolic integer or truth value."""
    return isinstance(value, (torch.SymInt, torch.SymBool))


def items_in(number: Any) -> set[Any]:
    """The symbols in a number whose values Dynamo reads from input tensors in front of the graph."""
    from ..base.torch_names import CallMethodItemSource

    sources = number.node.shape_env.var_to_sources
    return {
        symbol
        for symbol in number.node.expr.free_symbols
        if any(isinstance(source, CallMethodItemSource) for source in sources.get(symbol, ()))
    }


def fix_all(trace: trace_state.Trace) -> None:
    """Fix every data-dependent integer of the trace, present and future, to its value in this call."""
    FEATURE.of(trace).fixed = True
    for node in translator().output.graph.nodes:
        if "unbacked_bindings" in node.meta:
            fix_sizes(trace, node)


def fix_sizes(trace: trace_state.Trace, node: Node) -> None:
    """Fix the data-dependent sizes and integers of a node to their values in this call."""
    from ..base.torch_names import SymT, symbol_is_type

    for symbol in node.meta["unbacked_bindings"]:
        if symbol_is_type(symbol, SymT.UNBACKED_INT):
            assume(trace, translator().output.shape_env, symbol)


def unasserted(module: GraphModule, trace: trace_state.Trace) -> Optional[str]:
    """The text of an assumption that the graph does not assert; None if the graph asserts all assumptions."""
    from torch.fx.experimental.symbolic_shapes import canonicalize_bool_expr

    asserting = (torch.ops.aten._assert_scalar.default, torch_names._assert_scalar)
    texts = [str(node.args[1]) for node in module.graph.nodes if node.target in asserting and len(node.args) > 1]
    for fact in FEATURE.of(trace).assumed:
        if not any(text.startswith(f"{FAILED}{canonicalize_bool_expr(fact)} on node") for text in texts):
            if not bounded(fact, texts):
                return str(fact)
    return None


def bounded(fact: Any, texts: list[str]) -> bool:
    """Whether an assumption is a bound of one symbol, and the graph asserts the bounds of this symbol."""
    symbols = fact.free_symbols
    if len(symbols) != 1 or len(fact.args) != 2 or not any(arg.is_number for arg in fact.args):
        return False
    (symbol,) = symbols
    bounds = tuple(f"{FAILED}{symbol} {sign} " for sign in (">=", "<=", ">", "<"))
    return symbol in fact.args and any(text.startswith(bounds) for text in texts)
