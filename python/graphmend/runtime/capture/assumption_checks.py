"""Checks behind a graph: do the assumptions of its trace hold for the numbers of the present call?

    n = int((x > 0).sum())       # a symbol u0 in the graph
    for step in range(n):        # the trace assumed u0 == 3: three copies of the body
        y = step_of(y)           # a call with another count needs another graph

Assertions in a graph are no protection: a compiler takes an asserted fact for granted, and may then drop the test. The
graph therefore returns the numbers themselves as one more output, read by operators that compilers cannot look into,
and `Facts.hold` tests the assumptions on these numbers behind the graph.
"""

from __future__ import annotations

import math
import operator
from typing import Any, Callable, Optional, Sequence

import torch
from torch.fx import Graph, GraphModule, Node

from ..base import trace_state
from .assumptions import OPERATORS, numbers_of
from .path_speculation import source_of

make_library: Callable[[str, str], Any] = torch.library.Library
LIBRARY = make_library("graphmend_facts", "DEF")
LIBRARY.define("size_of(Tensor tensor, int dim) -> Tensor")
LIBRARY.impl("size_of", lambda tensor, dim: torch.tensor(tensor.shape[dim]), "CompositeExplicitAutograd")
torch.library.register_fake(
    "graphmend_facts::size_of", lambda tensor, dim: torch.empty((), dtype=torch.int64), lib=LIBRARY
)
SIZE_OF = torch.ops.graphmend_facts.size_of.default
LIBRARY.define("made(Tensor tensor) -> Tensor")
LIBRARY.impl("made", lambda tensor: torch.zeros((), dtype=torch.int64), "CompositeExplicitAutograd")
torch.library.register_fake("graphmend_facts::made", lambda tensor: torch.empty((), dtype=torch.int64), lib=LIBRARY)

STEADY = 8  # calls


class Facts:
    """The assumptions of a graph about the numbers in its last output and about the sizes of its inputs.

    `sizes` has the position and the dimension of each size; the dimension is None for an input that is a number.
    `steady` is called once, when the first calls had equal numbers.
    """

    def __init__(self, test: Callable[..., bool], sizes: list[tuple[int, Optional[int]]]) -> None:
        self.test = test
        self.sizes = sizes
        self.steady: Optional[Callable[[], None]] = None
        self.first: Any = None
        self.calls = 0

    def hold(self, numbers: torch.Tensor, inputs: Sequence[Any]) -> bool:
        """Whether the assumptions hold, and thus whether the graph is a graph of this call."""
        sizes = [inputs[place] if dim is None else inputs[place].shape[dim] for place, dim in self.sizes]
        values = [*numbers.tolist(), *sizes]
        if self.steady is not None:
            self.compare(values)
        return bool(self.test(*values))

    def tell_when_steady(self, tell: Callable[[], None]) -> None:
        """Have a function called once, when the first calls had the same numbers."""
        self.steady = tell

    def compare(self, numbers: list[Any]) -> None:
        """Call `steady` after `STEADY` calls with equal numbers; two calls with different numbers end the
        comparison.
        """
        self.calls += 1
        self.first = self.first or numbers
        if self.first != numbers:
            self.steady = None
        elif self.calls == STEADY and self.steady is not None:
            tell, self.steady = self.steady, None
            tell()


def add_numbers(module: GraphModule, trace: trace_state.Trace, computed: Sequence[Node] = ()) -> Optional[Facts]:
    """Add the output with the numbers that decide whether the assumptions hold; returns None if the trace assumed
    nothing.

    `computed` are tensors whose computation may raise, and must therefore take place.
    """
    from ..base.torch_names import PythonPrinter

    facts = list(dict.fromkeys(numbers_of(trace).assumed))
    if not facts and not computed:
        return None
    reader = Reader(module)
    tests = [f"{reader.computed(node)} is not None" for node in computed]
    for fact in facts:
        if any(str(symbol).startswith("zuf") for symbol in fact.free_symbols):
            tests.append(f"{reader.comparison(fact)} == 1")
            continue
        for symbol in sorted(fact.free_symbols, key=str):
            reader.number(symbol)
        tests.append(f"({PythonPrinter().doprint(fact)})")
    names = [*reader.names, *reader.sizes]
    source = f"lambda {', '.join(names)}: {' and '.join(tests)}"
    try:
        test = eval(source, {"math": math, "torch": torch})
    except (SyntaxError, RecursionError, MemoryError):
        raise trace_state.SiteRefused("what the graph assumes cannot be written in Python") from None
    reader.finish()
    return Facts(test, list(reader.sizes.values()))


class Reader:
    """Adds nodes to a graph that read numbers: symbols as 0-d tensors, sizes of inputs by their place."""

    def __init__(self, module: GraphModule) -> None:
        self.graph: Graph = module.graph
        self.names: dict[str, Node] = {}
        self.sizes: dict[str, tuple[int, Optional[int]]] = {}
        self.inputs = [node for node in self.graph.nodes if node.op == "placeholder"]

    def number(self, symbol: Any) -> None:
        """Read the number of a symbol, under the name of the symbol."""
        name = str(symbol)
        if name in self.names or name in self.sizes:
            return
        source = source_of(self.graph, symbol)
        if source is not None:
            self.names[name] = self.reading(source, list(source.meta["unbacked_bindings"][symbol]), symbol)
            return
        for node in self.graph.nodes:
            value = node.meta.get("example_value")
            memo = getattr(value, "item_memo", None)
            if (
                isinstance(memo, torch.SymInt) and memo.node._expr == symbol
            ):  # `expr` is no symbol but a number after `fix`
                # An operator fetched the number, and no node has written to the tensor since.
                self.names[name] = self.fetched(node, self.graph.output_node().prev)
                return
        for place, node in enumerate(self.inputs):
            value = node.meta.get("example_value")
            if expression(value) == symbol:
                self.sizes[name] = (place, None)
                return
            for dim, size in enumerate(value.shape if isinstance(value, torch.Tensor) else ()):
                if expression(size) == symbol:
                    self.sizes[name] = (place, dim)
                    return
        raise trace_state.SiteRefused(f"the graph cannot find out what {symbol} is")

    def reading(self, node: Node, keys: list[Any], symbol: Any) -> Node:
        """The 0-d tensor of the number at a path of keys in the value of a node."""
        from torch.fx.experimental.symbolic_shapes import CallMethodKey

        from ..base.torch_names import SequenceKey

        if node.target == "item":
            return self.item(node)
        container = node
        while keys and isinstance(keys[0], SequenceKey):
            with self.graph.inserting_after(container):
                container = self.graph.call_function(operator.getitem, (container, keys.pop(0).idx))
        if len(keys) != 2 or keys[0] != CallMethodKey("size"):
            raise trace_state.SiteRefused(f"the graph cannot find out what {symbol} is")
        with self.graph.inserting_after(container):
            return self.graph.call_function(SIZE_OF, (container, keys[1].idx))

    def item(self, node: Node, dtype: torch.dtype = torch.int64) -> Node:
        """The 0-d tensor of the number that an `item` node fetches."""
        return self.fetched(node.args[0], node, dtype)

    def fetched(self, tensor: Any, position: Node, dtype: torch.dtype = torch.int64) -> Node:
        """The only number in a tensor, as a 0-d copy made behind `position`.

        The copy keeps the number: the graph may write to the tensor later on.
        """
        steps: tuple[tuple[str, tuple[Any, ...], dict[str, Any]], ...]
        steps = ("detach", (), {}), ("reshape", ((),), {}), ("to", (dtype,), {"copy": True})
        for name, args, kwargs in steps:
            with self.graph.inserting_after(position):
                tensor = position = self.graph.call_method(name, (tensor, *args), kwargs)
        return position

    def comparison(self, fact: Any) -> str:
        """The name of the truth value of an assumption about a floating-point number."""
        import sympy

        (symbol,) = fact.free_symbols
        source = source_of(self.graph, symbol)
        if source is None or source.target != "item":
            raise trace_state.SiteRefused(f"the graph cannot find out what {symbol} is")
        number = self.item(source, torch.float64)
        sides = [number if side == symbol else float(side) for side in fact.args]
        with self.graph.inserting_after(number):
            test = self.graph.call_function(OPERATORS[type(fact).__name__], tuple(sides))
        if isinstance(fact, sympy.Equality) and 0 in sides:  # -0.0 equals 0.0, and is another number
            with self.graph.inserting_after(test):
                sign = self.graph.call_function(torch.signbit, (number,))
            with self.graph.inserting_after(sign):
                test = self.graph.call_function(operator.gt, (test, sign))
        name = f"fact_{len(self.names)}"
        with self.graph.inserting_after(test):
            self.names[name] = self.graph.call_method("to", (test, torch.int64))
        return name

    def computed(self, node: Node) -> str:
        """The name of a number that exists only after a tensor has been computed."""
        name = f"computed_{len(self.names)}"
        with self.graph.inserting_after(node):
            self.names[name] = self.graph.call_function(torch.ops.graphmend_facts.made.default, (node,))
        return name

    def finish(self) -> None:
        """Add all numbers to the outputs, as one tensor."""
        output = self.graph.output_node()
        with self.graph.inserting_before(output):
            numbers = [self.graph.call_method("to", (node, "cpu")) for node in self.names.values()]
            if numbers:
                together = self.graph.call_function(torch.stack, (numbers,))
            else:
                together = self.graph.call_function(torch.zeros, (0,))
        results: Any = output.args[0]
        output.args = ((*results, together),)


def expression(size: Any) -> Any:
    """The sympy expression of a symbolic size; None for other values."""
    return size.node.expr if isinstance(size, torch.SymInt) else None
