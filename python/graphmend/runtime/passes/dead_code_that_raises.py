"""Dead code that may raise: Python computes unused values, and raises, while compilers drop unused nodes.

    table[index]                              # raises in Python for a bad index
    ratio = total.item() / count.item()       # unused, but raises in Python where the count is 0
    return x

A program with a graph break computes unused values at the break. Without the break, values and exceptions would vanish.
The feature keeps look-ups through Dynamo's own removal of dead code, and `dead_nodes_that_raise` lists the nodes for
the guards of the graph.
"""

from __future__ import annotations

import operator
from typing import Any, Callable

import torch
from torch.fx import GraphModule, Node

from ..analysis import branch_proofs, node_facts
from ..analysis.marker_regions import Marks, tensor_of
from ..base import hooks, trace_state
from ..base.trace_state import SiteRefused, Trace

FEATURE = hooks.Feature(__name__, hooks.GUARD, "code that may fail and nobody needs")

QUOTIENTS = (operator.truediv, operator.floordiv, operator.mod)
NEVER_FAIL: tuple[Callable[..., Any], ...] = (
    operator.add,
    operator.sub,
    operator.mul,
    operator.neg,
    operator.abs,
    abs,
    operator.getitem,
)
NEVER_FAIL += (torch.sym_max, torch.sym_min, torch.sym_float, torch.sym_sum, torch.sym_ite)


@FEATURE.hook("graph.remove_unused")
def keep_lookups(remove: Any, trace: trace_state.Trace, self: Any) -> None:
    """Keep nodes that may raise where Dynamo removes unused nodes."""
    idle: set[Node] = set()
    for node in reversed(self.graph.nodes):
        if idle.issuperset(node.users) and (node.target is operator.getitem or is_computed_number(node)):
            idle.add(node)
    if any(map(number_fails, idle)):
        raise SiteRefused("a number that nobody uses may fail to be computed")
    lookups = [node for node in idle if node.target is operator.getitem and branch_proofs.fails(node)]
    for node in lookups:
        node.target = look_up
    remove(self)
    for node in lookups:
        node.target = operator.getitem


def look_up(value: Any, index: Any) -> Any:
    """`value[index]`, under a name unknown to Dynamo."""
    return value[index]


def is_computed_number(node: Node) -> bool:
    """Whether a node computes a Python number from numbers."""
    return node.op == "call_function" and isinstance(tensor_of(node), (torch.SymInt, torch.SymFloat))


def number_fails(node: Node) -> bool:
    """Whether the computation of a number from the data may raise: roots, quotients, integers of infinite numbers."""
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

    if not is_computed_number(node) or node.target in NEVER_FAIL or not free_unbacked_symbols(tensor_of(node)):
        return False
    if node.target in QUOTIENTS:
        divisor = node.args[1]
        return isinstance(divisor, Node) or bool(divisor == 0)
    return True


def dead_nodes_that_raise(module: GraphModule, marks: Marks, trace: Trace) -> list[Node]:
    """The nodes that may raise and that no output needs: a compiler would drop the nodes.

    Where Python would have broken the graph, Python computes the values: a test with equal sides, or an unused number
    whose tensor Dynamo keeps. Only a whole call has a place to compute the nodes; elsewhere the sites are refused.
    """
    needed: set[Node] = set()
    pending = [module.graph.output_node(), *(node for node in module.graph.nodes if node_facts.writes_of(node))]
    pending += [part.marker for part in marks.parts()]
    add_sources(needed, pending)
    idle = [node for node in module.graph.nodes if node not in needed]
    if not trace.whole:
        idle = [node for node in idle if branch_proofs.fails(node)]
        for region in marks.regions:
            tested: set[Node] = set()
            add_sources(tested, [region.predicate])
            if not tested.isdisjoint(idle):
                trace.refuse(region.site, "what is tested may fail, and nothing else needs it")
        return []
    tensors = [node for node in idle if isinstance(tensor_of(node), torch.Tensor) and branch_proofs.fails(node)]
    earlier: set[Node] = set()
    add_sources(earlier, [source for node in tensors for source in node.all_input_nodes])
    return [node for node in tensors if node not in earlier]


def add_sources(nodes: set[Node], pending: list[Node]) -> None:
    """Add nodes, and all nodes behind their arguments."""
    while pending:
        node = pending.pop()
        if node not in nodes:
            nodes.add(node)
            pending += node.all_input_nodes


def unused_numbers_may_raise(module: GraphModule) -> bool:
    """Whether the computation of an unused tensor with a single element may raise: Python asked for the number."""
    sources: set[Node] = set()
    add_sources(sources, [node for node in module.graph.nodes if not node.users and is_number(node)])
    return any(map(branch_proofs.fails, sources))


def is_number(node: Node) -> bool:
    """Whether a node gives a tensor of one element."""
    value = tensor_of(node)
    if not node.op.startswith("call") or not isinstance(value, torch.Tensor) or value.is_complex():
        return False
    return value.layout == torch.strided and all(type(size) is int and size == 1 for size in value.shape)
