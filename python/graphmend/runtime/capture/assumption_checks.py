"""What finds out, behind a graph, whether it is one of the call: the numbers that its facts are about.

Assertions are for the compiler to read as well: what they say of a number it takes for granted, and may then see no
reason to look. So the numbers themselves come out of the graph, read by an operator that no compiler can look into.
"""

from __future__ import annotations

import math
import operator
from typing import Any, Callable, Optional, Sequence

import torch
from torch.fx import Graph, GraphModule, Node

from ..base import trace_state
from .assumptions import OPERATORS, numbers_of
from .path_speculation import giving

LIBRARY = torch.library.Library("graphmend_facts", "DEF")
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
    """What has to hold of the numbers that a graph gives as its last output, and of the sizes of its inputs.

    `sizes` names those by position and dimension; the dimension is None for an input that is the number itself.
    """

    def __init__(self, test: Callable[..., bool], sizes: list[tuple[int, Optional[int]]]) -> None:
        self.test = test
        self.sizes = sizes
        self.steady: Optional[Callable[[], None]] = None  # told, once, that the first calls had the same numbers
        self.first: Any = None
        self.calls = 0

    def hold(self, numbers: torch.Tensor, inputs: Sequence[Any]) -> bool:
        """Whether the graph is one of the call."""
        known = [inputs[place] if dim is None else inputs[place].shape[dim] for place, dim in self.sizes]
        found = [*numbers.tolist(), *known]
        if self.steady is not None:
            self.compare(found)
        return bool(self.test(*found))

    def tell_when_steady(self, tell: Callable[[], None]) -> None:
        """Have a function called once, when the first calls had the same numbers."""
        self.steady = tell

    def compare(self, numbers: list[Any]) -> None:
        """Tell that so many calls have had the same numbers, or stop to look."""
        self.calls += 1
        self.first = self.first or numbers
        if self.first != numbers:
            self.steady = None
        elif self.calls == STEADY and self.steady is not None:
            tell, self.steady = self.steady, None
            tell()


def add_numbers(module: GraphModule, trace: trace_state.Trace, computed: Sequence[Node] = ()) -> Optional[Facts]:
    """Add one more output, the numbers that decide whether what was assumed holds; None if there are none.

    `computed` are tensors whose computation may fail, and has to take place.
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
    """Adds nodes that read numbers to a graph."""

    def __init__(self, module: GraphModule) -> None:
        self.graph: Graph = module.graph
        self.names: dict[str, Node] = {}
        self.sizes: dict[str, tuple[int, Optional[int]]] = {}
        self.inputs = [node for node in self.graph.nodes if node.op == "placeholder"]

    def number(self, symbol: Any) -> None:
        """Make a symbol known by its name."""
        name = str(symbol)
        if name in self.names or name in self.sizes:
            return
        giver = giving(self.graph, symbol)
        if giver is not None:
            self.names[name] = self.reading(giver, list(giver.meta["unbacked_bindings"][symbol]), symbol)
            return
        for node in self.graph.nodes:
            value = node.meta.get("example_value")
            memo = getattr(value, "item_memo", None)
            if isinstance(memo, torch.SymInt) and memo.node._expr == symbol:  # `expr` is a number where it is fixed
                # An operator has fetched the number, and nothing has written to the tensor since.
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
        """The 0-d tensor of a number that a node gives at a path of keys."""
        from torch.fx.experimental.symbolic_shapes import CallMethodKey

        from ..base.torch_names import SequenceKey

        if node.target == "item":
            return self.item(node)
        where = node
        while keys and isinstance(keys[0], SequenceKey):
            with self.graph.inserting_after(where):
                where = self.graph.call_function(operator.getitem, (where, keys.pop(0).idx))
        if len(keys) != 2 or keys[0] != CallMethodKey("size"):
            raise trace_state.SiteRefused(f"the graph cannot find out what {symbol} is")
        with self.graph.inserting_after(where):
            return self.graph.call_function(SIZE_OF, (where, keys[1].idx))

    def item(self, node: Node, dtype: torch.dtype = torch.int64) -> Node:
        """The tensor of a number that is fetched from a tensor."""
        return self.fetched(node.args[0], node, dtype)

    def fetched(self, found: Any, position: Node, dtype: torch.dtype = torch.int64) -> Node:
        """The only number in a tensor, from where the graph has come to a position, as a 0-d tensor.

        A copy: the graph may write to the tensor later on.
        """
        for name, args, kwargs in (("detach", (), {}), ("reshape", ((),), {}), ("to", (dtype,), {"copy": True})):
            with self.graph.inserting_after(position):
                found = position = self.graph.call_method(name, (found, *args), kwargs)
        return found  # type: ignore[return-value]

    def comparison(self, fact: Any) -> str:
        """The name of the truth value of a fact about a number that is no integer."""
        (symbol,) = fact.free_symbols
        giver = giving(self.graph, symbol)
        if giver is None or giver.target != "item":
            raise trace_state.SiteRefused(f"the graph cannot find out what {symbol} is")
        found = self.item(giver, torch.float64)
        sides = [found if side == symbol else float(side) for side in fact.args]
        with self.graph.inserting_after(found):
            test = self.graph.call_function(OPERATORS[type(fact).__name__], tuple(sides))
        name = f"fact_{len(self.names)}"
        with self.graph.inserting_after(test):
            self.names[name] = self.graph.call_method("to", (test, torch.int64))
        return name

    def computed(self, node: Node) -> str:
        """The name of a number that is there once a tensor has been computed."""
        name = f"computed_{len(self.names)}"
        with self.graph.inserting_after(node):
            self.names[name] = self.graph.call_function(torch.ops.graphmend_facts.made.default, (node,))
        return name

    def finish(self) -> None:
        """Make all numbers one more output."""
        output = self.graph.output_node()
        with self.graph.inserting_before(output):
            numbers = [self.graph.call_method("to", (node, "cpu")) for node in self.names.values()]
            if numbers:
                together = self.graph.call_function(torch.stack, (numbers,))
            else:
                together = self.graph.call_function(torch.zeros, (0,))
        output.args = ((*output.args[0], together),)


def expression(size: Any) -> Any:
    """The expression behind a size; None for anything else."""
    return size.node.expr if isinstance(size, torch.SymInt) else None
