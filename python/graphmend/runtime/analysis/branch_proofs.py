"""Proofs about the two sides of a branch, on the traced graph.

A mended branch computes both sides and selects. The mend is right only where the side not taken is invisible:

    if x.sum() > 0: y = x.log()            # the graph:  a = x.log(); b = x * 2
    else:           y = x * 2              #             y = torch.where(x.sum() > 0, a, b)
    y.add_(1)                              # in eager Python, `y` is `a` or `b` itself, and no copy

Four proofs make the side invisible: no operator of a side raises on data or draws (`examine_side`), both sides give
gradients to the same inputs (`unequal_gradients`), the selected copy stands for the tensor itself (`aliasing`), and no
operator of the graph has effects of its own (`opaque_operator`). Every proof returns a reason, or None where the
property holds.
"""

from __future__ import annotations

import functools
import operator
from typing import Any, Iterable, Optional, Union

import torch
from torch.fx import GraphModule, Node

from ..base import torch_names
from ..base.dynamo_values import source_name
from ..base.marker_ops import is_row_of_integers, kind_of
from . import allowed_functions, aten_facts, custom_op_purity, node_facts, stride_facts
from .marker_regions import Marks, Region, Select, fake_of, tensor_of
from .node_facts import storage_of, storages_in, storages_of, writes_of

COST_LIMIT = 100_000_000


def name_of(node: Node) -> str:
    """Readable name of the function that a node calls."""
    return str(node.target) if isinstance(node.target, str) else getattr(node.target, "__name__", str(node.target))


def is_context(node: Node) -> bool:
    """Whether a node only switches gradient or autocast mode."""
    return node.op == "call_function" and name_of(node) in aten_facts.CONTEXT_FUNCTIONS


def raises_before_operators(node: Node) -> bool:
    """Whether the function of a node may raise on data that its calls on fake tensors never look at."""
    return name_of(node).partition(".")[0] in aten_facts.RAISES_BEFORE_OPERATORS


def operators_of(node: Node) -> list[node_facts.Call]:
    """The ATen calls behind one node, found by a second call on stand-ins of the node's fake tensors."""
    args, kwargs = node_facts.traced_arguments(node)
    return node_facts.call_on_stand_ins(node, args, kwargs, node_facts.tensors_in((args, kwargs)))[0]


def operator_names(node: Node) -> set[str]:
    """Names of the ATen calls behind a node, with and without overloads; empty where the node cannot be examined."""
    try:
        overloads = [call[0] for call in operators_of(node)]
    except Exception:
        return set()
    names = {aten_facts.name_of(overload) for overload in overloads}
    return names | {f"{aten_facts.name_of(overload)}.{overload._overloadname}" for overload in overloads}


class SideFacts:
    """Facts about one side of a region: arithmetic cost, scaled gradients, writes to memory."""

    def __init__(self) -> None:
        self.cost = 0
        self.scales = False
        self.writes: list[tuple[Node, int]] = []


def examine_side(nodes: Iterable[Node]) -> tuple[SideFacts, Optional[str]]:
    """Check that the nodes of a side are total and deterministic; collect cost, writes and gradient scaling."""
    facts = SideFacts()
    for node in nodes:
        if node.op in ("placeholder", "get_attr") or is_context(node):
            continue
        if node.op == "call_module" or not (node.op == "call_method" or callable(node.target)):
            return facts, f"a side calls the module `{node.target}`"
        if isinstance(node.target, torch_names.HigherOrderOperator):
            return facts, f"a side uses the higher-order operator `{name_of(node)}`"
        if node.target is torch.autograd.grad:
            return facts, "a side computes gradients"
        if node.target is operator.getitem and isinstance(tensor_of(node.args[0]), (tuple, list, torch.Size)):
            continue
        if raises_before_operators(node):
            return facts, f"`{name_of(node)}` may fail on data that the side does not see"
        try:
            calls = operators_of(node)
        except Exception as error:
            return facts, f"`{name_of(node)}` cannot be examined ({type(error).__name__})"
        if node_facts.warns(node):
            return facts, f"`{name_of(node)}` shows a warning, which the side not taken would show as well"
        reason = examine_calls(node, calls, facts)
        if reason is not None:
            return facts, reason
    return facts, None


def examine_calls(node: Node, calls: list[node_facts.Call], facts: SideFacts) -> Optional[str]:
    """Check the ATen calls behind one node of a side, and add their facts to `facts`."""
    own: set[Optional[int]] = set()  # memory that the node makes: nobody else sees what `nanmean` writes there
    for overload, args, kwargs, result in calls:
        if overload.namespace == "prim" and not isinstance(result, torch.Tensor):
            continue  # `prim::device` and similar calls read metadata
        tensors = [arg for arg in torch_names.tree_leaves((args, kwargs)) if isinstance(arg, torch.Tensor)]
        integral = not any(arg.is_floating_point() or arg.is_complex() for arg in tensors)
        if aten_facts.draws(overload, args, kwargs):
            return f"`{name_of(node)}` draws random numbers on one side"
        if aten_facts.may_fail(overload, integral, args):
            return f"`{name_of(node)}` ({overload.name()}) may fail on data that the side does not see"
        if torch.Tag.inplace_view in overload.tags:
            return f"`{name_of(node)}` changes what a tensor is, on one side"
        for tensor in aten_facts.written_tensors(overload, args, kwargs):
            storage = storage_of(tensor)
            if storage is None:
                return f"`{name_of(node)}` writes to a tensor of unknown memory"
            if storage not in own:
                facts.writes.append((node, storage))
        results = [item for item in torch_names.tree_leaves(result) if isinstance(item, torch.Tensor)]
        own |= set(map(storage_of, results)) - set(map(storage_of, tensors)) - {None}
        facts.scales = facts.scales or aten_facts.scales_gradient(overload, args)
        facts.cost += aten_facts.cost_of(overload, args, result)
    return None


def computes_values(node: Node) -> bool:
    """Whether a node makes a call that computes values: no marker, no switch of a mode, no item of a tuple."""
    if not node.op.startswith("call") or is_context(node) or kind_of(node) is not None:
        return False
    return node.target is not operator.getitem or not isinstance(tensor_of(node.args[0]), (tuple, list, torch.Size))


def is_opaque(node: Node) -> bool:
    """Whether the ATen calls behind a node cannot be found by a second call."""
    return isinstance(node.target, torch_names.HigherOrderOperator) or node.op == "call_module"


def calls_behind(node: Node) -> Optional[list[tuple[Any, node_facts.Args, node_facts.Kwargs]]]:
    """The ATen calls behind a node that compute values; None where the calls are unknown."""
    if not computes_values(node):
        return []
    if is_opaque(node):
        return None
    try:
        calls = operators_of(node)
    except Exception:
        return None
    return [(overload, args, kwargs) for overload, args, kwargs, _ in calls if overload.namespace != "prim"]


def fails(node: Node) -> bool:
    """Whether a node that was traced may still raise at run time: on data, or for dtypes that fake tensors let pass."""
    if "example_value" not in node.meta:
        return False  # a node of the runtime, without a traced value
    calls = calls_behind(node)
    if calls is None or raises_before_operators(node):
        return True
    for overload, args, kwargs in calls:
        tensors = [arg for arg in torch_names.tree_leaves((args, kwargs)) if isinstance(arg, torch.Tensor)]
        integral = not any(arg.is_floating_point() or arg.is_complex() for arg in tensors)
        mixed = len({tensor.dtype for tensor in tensors}) > 1 and aten_facts.name_of(overload) in aten_facts.PRODUCTS
        if mixed or aten_facts.draws(overload, args, kwargs) or aten_facts.may_fail(overload, integral, args):
            return True
    return False


def unequal_gradients(module: GraphModule, marks: Marks) -> Optional[str]:
    """Check that every output reaches the same differentiable inputs on either side of every region.

    Eager Python leaves `.grad` of a tensor as None if no path leads to the tensor, and gives zeros if a path exists.
    `must` holds the inputs that a value reaches on any side, `may` the inputs reached on some side; for every output
    both have to be equal. In-place operators add to the inputs that the target's storage reaches.

    The same holds for values between the inputs and a side. On the side not taken these values get a gradient of zero
    where eager Python gives no gradient: no difference, unless a factor further up is infinite, because zero times
    infinity is NaN.
    """
    selects = {select.result: (region, select) for region in marks.regions for select in region.selects}
    entering = {node for region in marks.regions for node in entries(region)}
    must: dict[Union[Node, int], frozenset[Node]] = {}  # by node, and by storage
    may: dict[Union[Node, int], frozenset[Node]] = {}
    empty: frozenset[Node] = frozenset()

    def inputs_of(table: dict[Union[Node, int], frozenset[Node]], node: Node) -> frozenset[Node]:
        """The inputs that a node reaches, by its own path or through its storages."""
        inputs = table.get(node, empty)
        for storage in storages_of(node):
            inputs |= table.get(storage, empty)
        return inputs

    for node in module.graph.nodes:
        differentiable = node_facts.records_gradient(node)
        if node.op in ("placeholder", "get_attr"):
            if differentiable:
                must[node] = may[node] = frozenset([node])
            continue
        inputs = node.all_input_nodes
        if node in selects:
            region, select = selects[node]
            first, second = select.sides
            always = inputs_of(must, first) | inputs_of(must, second)
            all_of, some_of = (
                inputs_of(must, first) & inputs_of(must, second),
                inputs_of(may, first) | inputs_of(may, second),
            )
            some_of -= {
                item for nodes in region.sides for item in nodes if item in always
            }  # the gradient of the side is gated
        else:
            all_of = empty.union(*(inputs_of(must, item) for item in inputs))
            some_of = empty.union(*(inputs_of(may, item) for item in inputs))
        for storage in writes_of(node):
            must[storage] = must.get(storage, empty) | all_of
            may[storage] = may.get(storage, empty) | some_of
        if differentiable:
            itself = frozenset([node]) if node in entering else empty
            must[node], may[node] = all_of | itself, some_of | itself
    for node in module.graph.output_node().all_input_nodes:
        missing = inputs_of(may, node) - inputs_of(must, node)
        leaves = [item for item in missing if item not in entering]
        if leaves:
            return f"only one side gives a gradient to `{describe(leaves[0])}`"
        scaling = next(filter(None, map(scaling_behind, missing)), None)
        if scaling is not None:
            return f"only one side gives a gradient to what `{name_of(scaling)}` has made"
    return None


def entries(region: Region) -> set[Node]:
    """Differentiable results from outside of a region that a side uses or gives."""
    inside = {node for nodes in region.sides for node in nodes}
    used = {source for node in inside for source in node.all_input_nodes}
    used |= {side for select in region.selects for side in select.sides}
    return {node for node in used - inside if node.op.startswith("call") and requires_grad(node)}


def requires_grad(node: Node) -> bool:
    """Whether a node produced a tensor that requires a gradient."""
    value = tensor_of(node)
    return isinstance(value, torch.Tensor) and value.requires_grad


def scales(overload: Any, args: node_facts.Args, result: Any) -> bool:
    """Whether the derivative of an ATen call may multiply by infinity; calls that read metadata have no derivative."""
    return isinstance(result, (torch.Tensor, tuple, list)) and aten_facts.scales_gradient(overload, args)


def scaling_behind(node: Node) -> Optional[Node]:
    """A node between the graph's inputs and `node`, both ends included, that may multiply gradients by infinity."""
    pending, seen = [node], {node}
    while pending:
        node = pending.pop()
        if not node.op.startswith("call") or kind_of(node) is not None:
            continue
        try:
            if any(scales(overload, args, result) for overload, args, _, result in operators_of(node)):
                return node
        except Exception:
            return node
        sources = [source for source in node.all_input_nodes if source not in seen]
        seen.update(sources)
        pending += sources
    return None


def describe(node: Node) -> str:
    """The user's name of an input of the graph."""
    source = getattr(node.meta.get("grapharg"), "source", None) or getattr(node, "_dynamo_source", None)
    return source_name(source) or str(node.target)


class Order:
    """Positions, users and writers of a graph, computed once for all proofs."""

    def __init__(self, module: GraphModule) -> None:
        self.nodes = list(module.graph.nodes)
        self.position = {node: index for index, node in enumerate(self.nodes)}
        self.outputs = [node for node in module.graph.output_node().all_input_nodes]
        self.writers: list[tuple[Node, set[int]]] = []
        for node in self.nodes:
            storages = writes_of(node)
            if storages:
                self.writers.append((node, storages))
        self.inputs = storages_in(node for node in self.nodes if node.op in ("placeholder", "get_attr"))
        self.copies: list[tuple[set[int], int]] = []
        self.holders: dict[int, list[Node]] = {}
        for node in self.nodes:
            for storage in storages_of(node):
                self.holders.setdefault(storage, []).append(node)

    @functools.cached_property
    def doubtful(self) -> set[Node]:
        """The nodes whose real strides may differ from the strides of their fake tensors."""
        return stride_facts.nodes_with_doubtful_strides(self.nodes, operator_names)

    def note_selects(self, regions: Iterable[Region]) -> None:
        """Add the writes and copies that selects hide: eager Python hands on the tensor of a side, and writes to that
        tensor.
        """
        self.writers += [
            (node, {storage}) for region in regions for node, storage in region.renamed if storage is not None
        ]
        self.copies = [
            ({found for found in (storage_of(tensor_of(side)) for side in select.sides) if found is not None}, result)
            for region in regions
            for select in region.selects
            for result in [storage_of(tensor_of(select.result))]
            if result is not None
        ]

    def handed_on(self, storage: Optional[int]) -> set[int]:
        """The storage, and the storages of all selected tensors that eager Python might have left in the same
        memory.
        """
        storages = {storage} if storage is not None else set()
        while results := {result for sides, result in self.copies if sides & storages} - storages:
            storages |= results
        return storages

    def written_after(self, storage: int, node: Node) -> bool:
        """Whether memory is written to after a node."""
        limit = self.position[node]
        return any(storage in storages and self.position[writer] > limit for writer, storages in self.writers)

    @functools.cached_property
    def written_inputs(self) -> set[int]:
        """The memory of inputs, parameters and buffers that the graph writes to."""
        return self.inputs & {storage for _, storages in self.writers for storage in storages}

    def keeps_written_input(self, node: Node) -> bool:
        """Whether an operator may keep an input of the graph for gradients that the graph writes to."""
        value = tensor_of(node)
        if not self.written_inputs or not isinstance(value, torch.Tensor) or not value.requires_grad:
            return False
        return any(self.written_inputs & storages_of(source) for source in node.all_input_nodes)

    def used_after(self, storage: int, node: Node, ignoring: set[Node]) -> bool:
        """Whether memory is read through any name after a node."""
        limit = self.position[node]
        return any(
            self.position[user] > limit and user not in ignoring
            for holder in self.holders.get(storage, ())
            for user in holder.users
        )


def aliasing(order: Order, region: Region, select: Select, ignored: set[Node]) -> Optional[str]:
    """Check that no later code can tell the selected copy from the tensor that eager Python would hand on."""
    result = storage_of(tensor_of(select.result))
    same = order.handed_on(result)
    if any(fake_of(side).stride() != fake_of(select.result).stride() for side in select.sides):
        if not is_order_unseen(order, select.result, same):
            return "the selected tensor would lie in memory in another order"
    if any(side in order.doubtful for side in select.sides):
        return "a side may lie in memory in another order than the compiler believes"
    for side in select.sides:
        storage = storage_of(tensor_of(side))
        if storage is None or result is None:
            return "a result has no memory of its own"
        side_storages = order.handed_on(storage) - same
        changed = any(order.written_after(item, select.result) for item in same)
        if any(order.written_after(item, select.result) for item in side_storages):
            return "a result shares memory that is written to later"
        visible = any(same & storages_of(node) for node in order.outputs)
        if storage in order.inputs:
            if visible:
                return "a side returns an input, a parameter or a buffer itself, which the caller can tell from a copy"
            if changed:
                return "a side returns an input, a parameter or a buffer itself, and the result is written to later"
        shared = [node for node in order.outputs if side_storages & storages_of(node) and node not in ignored]
        if visible and shared:
            return "a side returns a tensor that is also another result of the call"
        ignored_users = {other.result for other in region.selects if other is select} | set(region.markers)
        ignored_users |= {other.marker for other in region.selects if other.marker is not None}
        if changed and order.used_after(storage, select.result, ignored_users):
            return "a side returns a tensor that is used elsewhere, and the result is written to later"
        if changed and select.marker is not None and is_saved(order, side, storage, ignored_users):
            return "a side returns a tensor that its gradient still needs, and the result is written to later"
        twins = [
            other
            for other in region.selects
            if other is not select and any(storage_of(tensor_of(item)) == storage for item in other.sides)
        ]
        if twins and (changed or visible):
            return "two results of a side share memory"
    return None


def is_order_unseen(order: Order, result: Node, storages: set[int]) -> bool:
    """Whether nobody can tell in which order the numbers of a selected row lie in memory: operators alone read them,
    and views of them are rows, too.
    """
    from torch.fx.experimental.symbolic_shapes import statically_known_true

    if not is_row_of_integers(fake_of(result)) or any(order.written_after(item, result) for item in storages):
        return False
    if any(storages & storages_of(node) for node in order.outputs):
        return False
    views = [fake_of(node) for item in storages for node in order.holders.get(item, ())]
    return all(sum(not statically_known_true(size == 1) for size in view.shape) <= 1 for view in views)


def is_saved(order: Order, side: Node, storage: int, ignoring: set[Node]) -> bool:
    """Whether Python would refuse `backward` after a write to the memory behind the result of a side."""
    value = tensor_of(side)
    if not isinstance(value, torch.Tensor) or not value.requires_grad:
        return False
    holders = order.holders.get(storage, [])
    inside = set(holders)
    if any(user not in inside and user not in ignoring for holder in holders for user in holder.users):
        return True
    try:
        return any(aten_facts.saves_result(call[0]) for call in operators_of(holders[0]))
    except Exception:
        return True


def opaque_operator(module: GraphModule) -> Optional[str]:
    """The name of an operator with possible effects, such as a custom operator in Python; None if all nodes only
    compute.
    """
    for part in module.modules():
        for node in part.graph.nodes if isinstance(part, GraphModule) else ():
            if may_have_effects(node):
                return name_of(node)
    return None


def may_have_effects(node: Node) -> bool:
    """Whether a node calls an operator or a function that a program may have defined, and that may do more than
    compute.
    """
    if node.op != "call_function" or kind_of(node) is not None:
        return False
    target = node.target
    if isinstance(target, (torch_names.OpOverload, torch_names.OpOverloadPacket)):
        return node_facts.is_custom(target) and not custom_op_purity.only_computes(target)
    return not isinstance(target, torch_names.HigherOrderOperator) and not allowed_functions.is_vouched_for(target)
