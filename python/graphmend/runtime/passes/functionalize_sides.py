"""In-place changes inside the sides of a branch, made on copies.

    if p: y.add_(1)              # copy = y.clone(); copy.add_(1)
                                 # z = torch.where(p, copy, y)
    return y * 2                 # return z * 2; or y.copy_(z), where further tensors share the memory of `y`

Both sides of a branch run, so no side may write to a tensor from outside of the branch. The side writes to a clone.
Behind the branch the graph selects the clone or the untouched tensor. The selection takes the tensor's name where the
graph made the tensor and knows all readers, and is copied into the tensor's memory elsewhere.
"""

from __future__ import annotations

from typing import Any, Optional

import torch
from torch.fx import GraphModule, Node

from ..analysis import aten_facts, branch_proofs, node_facts
from ..analysis.marker_regions import Marks, Region, Select, fake_of, predicate_beside, tensor_of
from ..base import torch_names
from ..base.marker_ops import kind_of
from ..base.torch_names import FakeTensor, is_non_overlapping_and_dense_or_false
from ..base.trace_state import Trace

SWITCHES = ("_set_grad_enabled", "set_grad_enabled")
METADATA = ("requires_grad_", "retain_grad", "share_memory_", "rename_")


def functionalize(module: GraphModule, marks: Marks, trace: Trace) -> None:
    """Let no side of a region write to a tensor from outside; refuse the sites where a clone cannot stand in."""
    for region in marks.regions:
        if region.complete and not trace.refusals:
            reason = functionalize_region(module, region)
            marks.renew()
            if reason is not None:
                trace.refuse(region.site, reason)


def functionalize_region(module: GraphModule, region: Region) -> Optional[str]:
    """Redirect the writes of one region, after the inner regions; returns the reason if a write has to stay."""
    if not any(node_facts.writes_of(node) for nodes in region.sides for node in nodes):
        return None
    order = branch_proofs.Order(module)
    start = order.position[region.start]
    sides_by_storage: dict[int, set[int]] = {}
    for side, nodes in enumerate(region.sides):
        for node in nodes:
            for storage in node_facts.writes_of(node):
                if any(order.position[holder] < start for holder in order.holders.get(storage, ())):
                    sides_by_storage.setdefault(storage, set()).add(side)
    for storage, sides in sides_by_storage.items():
        reason = keep_apart(module, branch_proofs.Order(module), region, storage, sides)
        if reason is not None:
            return reason
    return None


def keep_apart(
    module: GraphModule, order: branch_proofs.Order, region: Region, storage: int, sides: set[int]
) -> Optional[str]:
    """Make the sides write to clones of the memory `storage`; returns the reason if a clone cannot stand in."""
    start = order.position[region.start]
    inside = set(region.sides[0]) | set(region.sides[1])
    outside = [holder for holder in order.holders[storage] if order.position[holder] < start]
    sources = [holder for holder in outside if any(user in inside for user in holder.users)]
    if len(sources) != 1:
        return "a side changes a tensor in place that goes by several names"
    source = sources[0]
    reason = reason_against_clone(module, order, region, source)
    if reason is not None:
        return reason
    if one_side_brings_gradient(order, region, source, storage):
        return "only one side makes a tensor require a gradient"
    further_holders = [holder for holder in outside if holder is not source and not only_snapshot(holder, order, start)]
    for side in (0, 1):
        give_name_back(source, set(region.sides[side]))
    private = (
        not further_holders
        and source.op not in ("placeholder", "get_attr")
        and not is_before_outer(order, region, source)
    )
    copies = [clone_for(module, region, source, side) if side in sides else source for side in (0, 1)]
    fakes = [fake_of(copy) for copy in copies]
    if fakes[0].requires_grad != fakes[1].requires_grad:
        return "only one side makes a tensor require a gradient"
    if not private and not region.outer and may_be_needed(order, region, storage):
        # `copy_` runs in every call, and autograd counts each run as a change: calls that change no number would
        # spoil a gradient that saved the tensor.
        return "a side changes a tensor in place that others can see, and gradients may need it"
    if branch_proofs.requires_grad(source) and spoils_gradient(order, region, storage):
        return "a side changes a tensor in place that a gradient needs, which Python finds out going back"
    return select_after(module, region, source, copies, private)


def one_side_brings_gradient(order: branch_proofs.Order, region: Region, source: Node, storage: int) -> bool:
    """Whether a tensor requires no gradient in front of a region, and one behind a write of one of the two sides.

    The fake tensor does not tell: the write of the side has changed it.
    """
    start = order.position[region.start]
    writers = [node for node in order.nodes if storage in node_facts.writes_of(node)]
    if any(brings_gradient(node, source) for node in (source, *writers) if order.position[node] < start):
        return False
    brings = [any(brings_gradient(node, source) for node in writers if node in side) for side in region.sides]
    return brings[0] != brings[1]


def brings_gradient(node: Node, source: Node) -> bool:
    """Whether a tensor requires a gradient because of a node that makes it or writes to it."""
    if node.op in ("placeholder", "get_attr"):
        argument = node.meta.get("grapharg")
        value = tensor_of(node) if argument is None else argument.example
        return isinstance(value, torch.Tensor) and value.requires_grad
    return any(branch_proofs.requires_grad(other) for other in node.all_input_nodes if other is not source)


def spoils_gradient(order: branch_proofs.Order, region: Region, storage: int) -> bool:
    """Whether a node in front of a region has saved the memory for a gradient."""
    start = order.position[region.start]
    return any(saves(user, storage) for user in differentiable_users(order, storage) if order.position[user] < start)


def differentiable_users(order: branch_proofs.Order, storage: int) -> list[Node]:
    """The differentiable calls of the graph that read or return a memory."""
    users = {user for holder in order.holders[storage] for user in (holder, *holder.users)}
    calls = [user for user in users if user.op.startswith("call") and kind_of(user) is None]
    return [user for user in calls if user in order.position and branch_proofs.requires_grad(user)]


def saves(node: Node, storage: int) -> bool:
    """Whether a node saves a memory for its gradient, found by a second run of the node.

    Where the memory belongs to the node's result, the memory of the second result counts instead.
    """
    if node.target is torch.where:
        return False
    try:
        if node_facts.writes_of(node):
            return any(aten_facts.saves_result(call[0]) for call in branch_proofs.operators_of(node))
        value = tensor_of(node)
        assert isinstance(value, FakeTensor)
        result = compute_fake(node, value.fake_mode)
    except Exception:
        return True
    storages: set[Optional[int]] = {storage}
    if storage in node_facts.storages_of(node):
        storages.add(node_facts.storage_of(result))
    seen = {getattr(tensor_of(source), "grad_fn", None) for source in node.all_input_nodes}
    pending = [result.grad_fn]
    while pending:
        function = pending.pop()
        if function is None or function in seen:
            continue
        seen.add(function)
        saved = [getattr(function, name) for name in dir(function) if name.startswith("_saved_")]
        leaves = [leaf for leaf in torch_names.tree_leaves(saved) if isinstance(leaf, torch.Tensor)]
        if any(node_facts.storage_of(leaf) in storages for leaf in leaves):
            return True
        pending += [following for following, _ in function.next_functions]
    return False


def may_be_needed(order: branch_proofs.Order, region: Region, storage: int) -> bool:
    """Whether a gradient may need the content of a memory that is visible outside of the graph.

    Buffers updated under no_grad belong to the module. For a buffer only the saves of this graph count, behind the
    branch as well, because two calls may come before one backward pass.
    """
    if grad_enabled_at(order, region):
        return may_be_saved(order, region, storage)
    return any(saves(user, storage) for user in differentiable_users(order, storage))


def may_be_saved(order: branch_proofs.Order, region: Region, storage: int) -> bool:
    """Whether a gradient may need the content of a memory: memory of the caller, or read by a differentiable node
    before.
    """
    start = order.position[region.start]
    users = {user for holder in order.holders[storage] for user in (holder, *holder.users)}
    return storage in order.inputs or any(
        branch_proofs.requires_grad(user) for user in users if order.position.get(user, start) < start
    )


def reason_against_clone(
    module: GraphModule, order: branch_proofs.Order, region: Region, source: Node
) -> Optional[str]:
    """The reason why a clone cannot stand in for a tensor; None if a clone can."""
    value = tensor_of(source)
    if not isinstance(value, torch.Tensor) or not hasattr(value, "fake_mode"):
        return "a side changes what is not known to be a tensor"
    if not is_non_overlapping_and_dense_or_false(value):
        return "a side changes a tensor in place whose memory has gaps or overlaps"
    for node in (*region.sides[0], *region.sides[1]):
        if branch_proofs.is_context(node):
            return "a side changes a tensor in place and switches the gradient mode"
        if node.op == "call_method" and node.target in METADATA:
            return f"a side changes what a tensor is (`{node.target}`)"
    if value.requires_grad and not grad_enabled_at(order, region):
        return "a side changes a tensor that requires a gradient in place under no_grad"
    return None


def grad_enabled_at(order: branch_proofs.Order, region: Region) -> bool:
    """Whether gradients are recorded at the start of a region."""
    enabled = torch.is_grad_enabled()
    for node in order.nodes[: order.position[region.start]]:
        if node.op == "call_function" and branch_proofs.name_of(node) in SWITCHES:
            enabled = bool(node.args[0])
    return enabled


def give_name_back(source: Node, nodes: set[Node]) -> None:
    """Make readers outside of a side use the tensor itself in place of the side's name for it (`y += 1` gives y)."""
    for node in nodes:
        if tensor_of(node) is tensor_of(source):
            for user in list(node.users):
                if user not in nodes:
                    user.replace_input_with(node, source)


def only_snapshot(holder: Node, order: branch_proofs.Order, start: int) -> bool:
    """Whether a node is an alias held only by an earlier deferred effect."""
    return all(user.op == "output" or kind_of(user) == "event" for user in holder.users) and any(
        kind_of(user) == "event" and order.position[user] < start for user in holder.users
    )


def is_before_outer(order: branch_proofs.Order, region: Region, source: Node) -> bool:
    """Whether a tensor is older than a branch around the region."""
    return any(order.position[source] < order.position[outer.start] for outer, _ in region.outer)


def clone_for(module: GraphModule, region: Region, source: Node, side: int) -> Node:
    """Put a clone at the head of one side, and make the side use the clone."""
    fake: Any = tensor_of(source)
    with module.graph.inserting_after(region.markers[side]):
        clone = module.graph.call_method("clone", (source,))
    with fake.fake_mode, torch.set_grad_enabled(fake.requires_grad):
        clone.meta = {"example_value": fake.clone()}
    position = {node: index for index, node in enumerate(module.graph.nodes)}
    nodes = sorted(region.sides[side], key=position.__getitem__)
    changed = {clone}
    for node in nodes:
        node.replace_input_with(source, clone)
        if kind_of(node) is None and any(item in changed for item in node.all_input_nodes):
            update_fake(node, fake.fake_mode)
            changed.add(node)
    for owner, place in [(region, side), *region.outer]:
        owner.sides[place].insert(0, clone)
    return clone


def update_fake(node: Node, fake_mode: Any) -> None:
    """Compute the fake value of a node again."""
    value = compute_fake(node, fake_mode)
    if "example_value" in node.meta:
        node.meta = {**node.meta, "example_value": value}


def compute_fake(node: Node, fake_mode: Any) -> Any:
    """The fake value of a node, computed from the present arguments."""
    args, kwargs = node_facts.traced_arguments(node)
    function, arguments = node_facts.function_and_arguments(node, list(args))
    with fake_mode, torch.set_grad_enabled(getattr(tensor_of(node), "requires_grad", True)):
        return function(*arguments, **kwargs)


def select_after(module: GraphModule, region: Region, source: Node, copies: list[Node], private: bool) -> Optional[str]:
    """Put the selected tensor in the place of the tensor that eager Python would have changed."""
    memory = {node_facts.storage_of(tensor_of(copy)) for copy in copies}
    if not private and any(memory & node_facts.storages_of(side) for select in region.selects for side in select.sides):
        return "a result shares memory with a tensor that a side changes in place"
    leave = region.markers[2]
    with module.graph.inserting_before(leave.next):
        chosen = module.graph.call_function(torch.where, (predicate_beside(module.graph, region, copies[0]), *copies))
    fake: Any = tensor_of(copies[0])
    with fake.fake_mode, torch.set_grad_enabled(fake.requires_grad):
        chosen.meta = {"example_value": torch.empty_like(fake, requires_grad=fake.requires_grad)}
    new = [chosen]
    if private:
        position = {node: index for index, node in enumerate(module.graph.nodes)}
        for user in list(source.users):
            if position[user] > position[chosen]:
                user.replace_input_with(source, chosen)
        region.selects.append(Select(None, chosen, (copies[0], copies[1])))
        region.renamed.append((chosen, node_facts.storage_of(tensor_of(source))))
    else:
        region.stored.append(chosen)
        with module.graph.inserting_after(chosen):
            back = module.graph.call_method("copy_", (source, chosen))
        back.meta = {"example_value": tensor_of(source)}
        new.append(back)
    for outer, place in region.outer:
        outer.sides[place].extend(new)
    return None
