"""What may fail to be computed, and nothing in the graph needs: compilers leave it out, Python computes it.

In a program that breaks the graph there is no doubt, what is needed behind the break is computed. So it is where
nothing breaks any more. Numbers that nobody uses count as well: Python has asked for them.
"""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch.fx import GraphModule, Node

from ..analysis import branch_proofs, node_facts
from ..analysis.marker_regions import Marks, tensor_of
from ..base import hooks, trace_state
from ..base.trace_state import SiteRefused, Trace

FEATURE = hooks.Feature(__name__, hooks.GUARD, "code that may fail and nobody needs")

QUOTIENTS = (operator.truediv, operator.floordiv, operator.mod)
NEVER_FAIL = (operator.add, operator.sub, operator.mul, operator.neg, operator.abs, abs, operator.getitem)
NEVER_FAIL += (torch.sym_max, torch.sym_min, torch.sym_float, torch.sym_sum, torch.sym_ite)


@FEATURE.hook("graph.remove_unused")
def keep_lookups(remove: Any, trace: trace_state.Trace, self: Any) -> None:
    """Keep what may fail where Dynamo removes what nobody uses."""
    idle: set[Node] = set()
    for node in reversed(self.graph.nodes):
        if idle.issuperset(node.users) and (node.target is operator.getitem or is_computed_number(node)):
            idle.add(node)
    if any(map(number_fails, idle)):
        raise SiteRefused("a number that nobody uses may fail to be computed")
    kept = [node for node in idle if node.target is operator.getitem and branch_proofs.fails(node)]
    for node in kept:
        node.target = look_up
    remove(self)
    for node in kept:
        node.target = operator.getitem


def look_up(value: Any, index: Any) -> Any:
    """`value[index]`, under a name that Dynamo does not know."""
    return value[index]


def is_computed_number(node: Node) -> bool:
    """Whether a node computes a number of Python's from others."""
    return node.op == "call_function" and isinstance(tensor_of(node), (torch.SymInt, torch.SymFloat))


def number_fails(node: Node) -> bool:
    """Whether a number that data decide may fail to be computed: roots, quotients, integers of what is not finite."""
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

    if not is_computed_number(node) or node.target in NEVER_FAIL or not free_unbacked_symbols(tensor_of(node)):
        return False
    if node.target in QUOTIENTS:
        return isinstance(node.args[1], Node) or node.args[1] == 0
    return True


def lost_failures(module: GraphModule, marks: Marks, trace: Trace) -> list[Node]:
    """What may fail to be computed, and nothing in the graph needs, so that a compiler leaves it out.

    Where Python would have broken the graph, it is computed: a test both sides of which came to the same, a number
    that nobody uses, of which Dynamo leaves the tensor that it was fetched from. Only a whole call has a place for
    that; other decisions are refused.
    """
    needed: set[Node] = set()
    waiting = [module.graph.output_node(), *(node for node in module.graph.nodes if node_facts.writes_of(node))]
    waiting += [part.marker for part in [*marks.checks, *marks.decisions, *marks.events]]
    add_sources(needed, waiting)
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


def add_sources(found: set[Node], waiting: list[Node]) -> None:
    """Add nodes and all that they are computed from."""
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += node.all_input_nodes


def forgotten_numbers(module: GraphModule) -> bool:
    """Whether nobody uses some tensor of one element whose computation may fail: a number that Python asked for."""
    found: set[Node] = set()
    add_sources(found, [node for node in module.graph.nodes if not node.users and is_number(node)])
    return any(map(branch_proofs.fails, found))


def is_number(node: Node) -> bool:
    """Whether a node gives a tensor of one element."""
    value = tensor_of(node)
    if not node.op.startswith("call") or not isinstance(value, torch.Tensor) or value.is_complex():
        return False
    return value.layout == torch.strided and all(type(size) is int and size == 1 for size in value.shape)
