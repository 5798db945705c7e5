"""From the marked graph to the graph for the user's backend.

    enter(K, p); a = x.log(); otherwise(K); b = x * 2; leave(K); pair(K, a, b)      # marked: `a` stands for both
    check(C, failed); event(E, [a])
    # lowered: a, b; y = torch.where(p, a, b); output (y, failed)

`lower` proves every site (`analysis`), functionalises sides, gates gradients and indices, makes snapshots for deferred
effects, and adds an output with the guards and answers. A site without a proof is refused, and ends the trace. `Plan`
tells the backend's wrapper how to run the graph, and how to undo a run.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Optional

import torch
from torch.fx import GraphModule, Node

from ..analysis import branch_proofs, node_facts
from ..analysis.marker_regions import (
    Event,
    Marks,
    Region,
    fake_of,
    node_at,
    outputs_of,
    predicate_beside,
    read_markers,
    tensor_of,
)
from ..autograd import inner_gradients, requires_grad_inputs
from ..autograd.hook_runner import Hooks
from ..autograd.tensor_hooks import has_hooks, place_hooks, refuse_hooks
from ..autograd.unused_gradients import Reach, reach_of
from ..base.graph_code import finish
from ..base.marker_ops import kind_of, site_of
from ..base.torch_names import is_non_overlapping_and_dense_or_false
from ..base.trace_state import SiteRefused, Trace
from ..capture.assumption_checks import Facts, add_numbers
from ..capture.assumptions import MANY, numbers_of, route, unasserted
from ..capture.data_scalars import carried, depends_on_data
from ..capture.early_predicates import Ahead, chance, decided_ahead
from ..capture.tensor_predicates import decide_on_tensors
from ..effects.trace_time_effects import may_show_whole
from ..external import lru_caches, numpy_random_functions, prologue
from ..external.drawn_scalars import hand_out_tensors, numbers_as_tensors
from . import anomaly_mode, device_asserts
from .dead_code_that_raises import dead_nodes_that_raise
from .functionalize_sides import functionalize
from .hoisted_inputs import hoist_inputs
from .simplify_selects import simplify


@dataclasses.dataclass
class Plan:
    """The needs of the compiled graph around a run: flags to read, memory to restore, hooks to attach."""

    sites: set[str]
    expected: list[bool] = dataclasses.field(default_factory=list)
    defers: bool = False
    guarded: bool = False
    numbers: bool = False
    carried: bool = False  # tensors are computed with numbers from the data
    route: tuple[Any, ...] = ()
    facts: Optional[Facts] = None
    crowded: bool = False  # `facts` are about many numbers, for which the graph was made
    reach: Optional[Reach] = None
    hooks: Optional[Hooks] = None
    flags: requires_grad_inputs.Flags = dataclasses.field(default_factory=list)
    fresh: list[int] = dataclasses.field(default_factory=list)
    returned: dict[int, int] = dataclasses.field(default_factory=dict)
    mutated: list[Any] = dataclasses.field(default_factory=list)
    draws: bool = False
    calls_random: bool = False
    single: bool = False  # some random numbers arrive in a type that the graph does not expect
    ahead: Optional[Ahead] = None
    chances: tuple[int, ...] = ()  # the weight of chance, for each decision
    devices: list[torch.device] = dataclasses.field(default_factory=list)
    gates: list[device_asserts.Gate] = dataclasses.field(default_factory=list)


def lower(module: GraphModule, trace: Trace) -> Plan:
    """Prove every site of the graph, then replace its markers; raises SiteRefused with the reasons in the trace."""
    flags = requires_grad_inputs.settle(module, trace)
    inner_gradients.settle(module, trace)
    numpy_random_functions.settle(module)
    drop_idle_dropouts(module)
    decide_on_tensors(module)
    if prologue.takes_values(trace):
        numbers_as_tensors(module)
    if trace.whole:
        hand_out_tensors(module)
    hoist_inputs(module)
    marks = read_markers(module)
    for site in marks.broken:
        trace.refuse(site, "the graph breaks inside one side")
    refuse_hooks(module, marks, trace)
    keep_predicates(module, marks)
    functionalize(module, marks, trace)
    if not trace.refusals:
        refuse_unproved(module, marks, trace)
    plan = Plan(marks.sites() | {*prologue.sites_of(trace), *lru_caches.sites_of(trace), *trace.libraries})
    plan.flags = flags
    plan.numbers = trace.whole and depends_on_data(module)
    numbers = numbers_of(trace)
    marked = marks.checks or marks.decisions or marks.events or trace.libraries or has_hooks(trace) or flags
    dead_nodes = [] if trace.refusals else dead_nodes_that_raise(module, marks, trace)
    lru_caches.refuse_reruns(trace, marks.checks or marks.decisions or plan.numbers or numbers.assumed or dead_nodes)
    if not trace.refusals and (marked or plan.numbers or numbers.assumed or prologue.takes_values(trace) or dead_nodes):
        plan_replay(module, marks, plan, trace)
    if trace.refusals:
        raise SiteRefused("; ".join(trace.refusals.values()))
    plan.route = route(trace, tuple(decision.answer for decision in marks.decisions))
    plan.fresh = fresh_outputs(module)
    plan.returned = returned_inputs(module)
    plan.reach = reach_of(module)
    gate_gradients(module, marks)
    release_events(module, marks)
    plan.hooks = place_hooks(module)
    plan.defers = bool(marks.events or plan.hooks)
    if marks.decisions:
        plan.ahead = decided_ahead(module, marks.decisions)
        plan.chances = tuple(chance(decision.predicate) for decision in marks.decisions)
    device_asserts.place_gates(module, marks, plan.gates)
    if marks.checks or marks.decisions:
        plan.expected = [False, *(decision.answer for decision in marks.decisions)]
        add_flags(module, marks)
    plan.carried = plan.numbers and carried(module)
    plan.facts = add_numbers(module, trace, dead_nodes)
    plan.crowded = numbers.fixed and numbers.symbols > MANY
    erase_markers(module, marks)
    simplify(module, marks)
    finish(module)
    return plan


def drop_idle_dropouts(module: GraphModule) -> None:
    """Replace dropout outside of training by its input: eager Python returns the same tensor, the trace a second
    one.
    """
    for node in list(module.graph.nodes):
        if node.target is not torch.nn.functional.dropout and node.target is not torch.dropout:
            continue
        names = dict(zip(("input", "p", "training" if node.target is not torch.dropout else "train"), node.args))
        names.update(node.kwargs)
        if names.get("training", names.get("train", True)) is False and isinstance(names.get("input"), Node):
            node.replace_all_uses_with(names["input"])
            module.graph.erase_node(node)


def fresh_outputs(module: GraphModule) -> list[int]:
    """The positions of outputs that share no memory with the inputs of the graph."""
    inputs = [node for node in module.graph.nodes if node.op in ("placeholder", "get_attr")]
    input_storages = {storage for node in inputs for storage in node_facts.storages_of(node)}
    return [
        i
        for i, node in enumerate(outputs_of(module))
        if node_facts.storage_of(tensor_of(node)) not in input_storages | {None}
    ]


def returned_inputs(module: GraphModule) -> dict[int, int]:
    """The outputs that are inputs, both by position, where inputs share memory: compilers return views of the
    memory.
    """
    inputs = module.graph.find_nodes(op="placeholder")
    memory = [node_facts.storage_of(tensor_of(node)) for node in inputs]
    shared = [storage for storage in memory if storage is not None]
    if len(set(shared)) == len(shared):
        return {}
    return {i: inputs.index(node) for i, node in enumerate(outputs_of(module)) if node in inputs}


def all_but(node: Node) -> Callable[[Node], bool]:
    """A condition that holds for every node apart from `node`."""
    return lambda user: user is not node


def keep_predicates(module: GraphModule, marks: Marks) -> None:
    """Copy the predicates that share memory with the program and are written to later."""
    order = branch_proofs.Order(module)
    predicates = [*(region.predicate for region in marks.regions), *(test.predicate for test in marks.tests())]
    for predicate in dict.fromkeys(predicates):
        storage = node_facts.storage_of(tensor_of(predicate))
        if storage is not None and order.written_after(storage, predicate):
            with module.graph.inserting_after(predicate):
                copy = module.graph.call_method("clone", (predicate,))
            copy.meta = dict(predicate.meta)
            predicate.replace_all_uses_with(copy, delete_user_cb=all_but(copy))
            for nodes in [nodes for region in marks.regions for nodes in region.sides if predicate in nodes]:
                nodes.insert(nodes.index(predicate) + 1, copy)
    marks.renew()


def refuse_unproved(module: GraphModule, marks: Marks, trace: Trace) -> None:
    """Refuse every region and event without a proof."""
    graph, order = branch_proofs.Order(module), branch_proofs.Order(module)
    order.note_selects(marks.regions)
    event_values = {value for event in marks.events for value in event.values}
    values_kept = event_values | {region.predicate for region in marks.regions}
    for region in marks.regions:
        reason = unproved_sides(order, region) or escaping_value(region, values_kept) or moved_input(region)
        for select in region.selects:
            reason = reason or branch_proofs.aliasing(order, region, select, event_values)
        if reason is not None:
            trace.refuse(region.site, reason)
    if not trace.refusals and any(region.selects for region in marks.regions):
        reason = branch_proofs.unequal_gradients(module, marks)
        if reason is not None:
            for region in marks.regions:
                if any(branch_proofs.requires_grad(side) for select in region.selects for side in select.sides):
                    trace.refuse(region.site, reason)
    chosen = {select.result for region in marks.regions for select in region.selects}
    for event in marks.events:
        reason = unsafe_snapshot(graph, event, chosen, may_show_whole(trace, event.key))
        if reason is not None:
            trace.refuse(site_of(event.key), reason)


def unproved_sides(order: branch_proofs.Order, region: Region) -> Optional[str]:
    """The reason why the sides of a region may not both run, None if they may."""
    region.scales = [False, False]
    cost = 0
    for side, nodes in enumerate(region.sides):
        facts, reason = branch_proofs.examine_side(nodes)
        if reason is not None:
            return reason
        side_storages: set[int] = set()
        for node in nodes:
            side_storages |= node_facts.storages_of(node)
        before = order.position[region.start]
        if any(
            order.position[source] > before for node in nodes for source in node.all_input_nodes if source not in nodes
        ):
            return "the sides share values that are made inside the branch"
        for writer, storage in facts.writes:
            if storage not in side_storages or any(
                order.position[holder] < before for holder in order.holders.get(storage, ())
            ):
                return f"a side writes to a tensor that exists outside of it (`{branch_proofs.name_of(writer)}`)"
        if any(map(order.keeps_written_input, nodes)):
            return "a side may keep a tensor for gradients that this call and the next one write to"
        region.scales[side] = facts.scales
        cost += facts.cost
    if cost > branch_proofs.COST_LIMIT:
        return f"running both sides always would be too expensive (about {cost:.0e} operations)"
    return None


def escaping_value(region: Region, values_kept: set[Node]) -> Optional[str]:
    """The reason if a value of one side is used outside without a selection; deferred effects may hold values in
    `kept`.
    """
    chosen = {select.result for select in region.selects} | set(region.stored)
    chosen |= {side for select in region.selects for side in select.sides if is_number(side)}
    for nodes in region.sides:
        inside = set(nodes)
        for node in nodes:
            for user in node.users:
                if user in inside or user in chosen or node in region.joined or kind_of(user) is not None:
                    continue
                if user.op != "output" or node not in values_kept:
                    return "a value that is made on one side is used behind the branch"
    return None


def has_gates(region: Region) -> bool:
    """Whether gradients flow through a region, so that its sides may get gates (`gate_gradients`)."""
    return any(branch_proofs.requires_grad(side) for select in region.selects for side in select.sides)


def moved_input(region: Region) -> Optional[str]:
    """The reason if a gate would move a tensor to memory without gaps, where another kernel may round otherwise."""
    for side, nodes in enumerate(region.sides):
        if region.scales[side] and has_gates(region):
            inside = set(nodes)
            sources = {source for node in nodes for source in node.all_input_nodes if source not in inside}
            for source in filter(branch_proofs.requires_grad, sources):
                if not is_non_overlapping_and_dense_or_false(fake_of(source)):
                    return "a side reads a tensor whose memory has gaps, and a copy of it may be rounded otherwise"
    return None


def is_number(node: Node) -> bool:
    """Whether a node is the tensor of a number that one side of a branch gives (`capture/merged_numbers.py`)."""
    return node.target is torch.full and node.args[0] == ()


def unsafe_snapshot(order: branch_proofs.Order, event: Event, chosen: set[Node], shown: bool) -> Optional[str]:
    """The reason why a deferred value cannot be kept for later, None if a snapshot is safe.

    A printed tensor shows its `grad_fn`, and a copy has a different `grad_fn`; the sum of a copy shows the same number.
    """
    for value in event.values:
        history = shown and branch_proofs.requires_grad(value)
        if history and value.args[0] in chosen:
            return "a deferred tensor that a branch chose would show another `grad_fn`"
        storage = node_facts.storage_of(tensor_of(value))
        if storage is None:
            return "a deferred tensor has no memory of its own"
        if not order.written_after(storage, event.marker):
            continue
        if history:
            return "a deferred tensor that requires a gradient is shown, and written to later"
        if isinstance(tensor_of(value.args[0]), torch.nn.Parameter):
            return "a deferred parameter is written to later, and a copy of it is none"
    return None


def gate_gradients(module: GraphModule, marks: Marks) -> None:
    """Stop the gradient of the side not taken at the entries of the region.

    `where(p, x, x.detach())` is x, and its derivative is selected, not multiplied. The side not taken may turn a
    gradient of zero into NaN (0 * inf), but exact zeros leave the gate.
    """
    for region in marks.regions:
        for side, nodes in enumerate(region.sides):
            if region.scales[side] and has_gates(region):
                gate_side(module, region, side, nodes)
                anomaly_mode.mark(region)


def gate_side(module: GraphModule, region: Region, side: int, nodes: list[Node]) -> None:
    """Gate every differentiable tensor that enters one side, with a gate for each use.

    Gradients through several gates are added up in the order of the uses, as in Python. A single gate would add up the
    gradients of the side first, and round differently.
    """
    inside = set(nodes)
    last = region.start

    def gated(source: Node) -> Node:
        """The gate in front of a tensor from outside of the side; the tensor itself where no gradient flows."""
        nonlocal last
        if source in inside or not branch_proofs.requires_grad(source):
            return source
        with module.graph.inserting_after(last):
            stopped = module.graph.call_method("detach", (source,))
        with torch.no_grad():
            stopped.meta = {"example_value": fake_of(source).data}
        with module.graph.inserting_after(stopped):
            test = predicate_beside(module.graph, region, source)
        choice = (source, stopped) if side == 0 else (stopped, source)
        with module.graph.inserting_after(stopped if test is region.predicate else test):
            last = gate = module.graph.call_function(torch.where, (test, *choice))
        gate.meta = {key: source.meta[key] for key in ("example_value",) if key in source.meta}
        for outer, position in region.outer:
            outer.sides[position].extend((stopped, gate))
        return gate

    for node in nodes:
        if kind_of(node) is None:
            node.args, node.kwargs = torch.fx.map_arg((node.args, node.kwargs), gated)


def release_events(module: GraphModule, marks: Marks) -> None:
    """Make snapshots of values that are written to later; hand on all further values as they are."""
    order = branch_proofs.Order(module)
    for event in marks.events:
        copies: dict[Node, Node] = {}  # two names of one tensor share a copy
        for value in event.values:
            source = node_at(value, 0)
            storage = node_facts.storage_of(tensor_of(value))
            written_later = storage is not None and order.written_after(storage, event.marker)
            if written_later or is_detached_number(source):
                if source not in copies:
                    with module.graph.inserting_before(value):
                        copies[source] = module.graph.call_method("clone", (source,))
                    copies[source].meta = dict(value.meta)
                value.replace_all_uses_with(copies[source])
            else:
                value.replace_all_uses_with(source)
            event.marker.args = (event.key, [])


def is_detached_number(node: Node) -> bool:
    """Whether a node gives a number without its history: a copy costs less than an alias as an output."""
    if node.target != "detach" or not branch_proofs.requires_grad(node_at(node, 0)):
        return False
    value = tensor_of(node)
    return isinstance(value, torch.Tensor) and value.dim() == 0


def plan_replay(module: GraphModule, marks: Marks, plan: Plan, trace: Trace) -> None:
    """Collect the memory, generators and devices that have to be restored before a call can run again."""
    plan.guarded = True
    sites = [site_of(part.key) for part in marks.parts()]
    if prologue.takes_values(trace):
        plan.calls_random = True
        sites += prologue.sites_of(trace)
    unknown = branch_proofs.opaque_operator(module)
    if unknown is not None:
        refuse_replay(sites, trace, f"the graph calls `{unknown}`, which may have effects of its own")
    written_storages: set[int] = set()
    for node in module.graph.nodes:
        if node_facts.warns(node):
            refuse_replay(
                sites, trace, f"`{branch_proofs.name_of(node)}` shows a warning, and again in a call that is undone"
            )
        written_storages |= node_facts.writes_of(node)
        plan.draws = plan.draws or node_facts.draws(node)
        source = type(getattr(node.meta.get("grapharg"), "source", None)).__name__
        if node.op == "placeholder" and "Random" in source:
            plan.calls_random = True
            plan.single = plan.single or node.meta["grapharg"].pass_arg_as_tensor
    position = -1
    for node in module.graph.nodes:
        position += node.op == "placeholder"
        if node.op not in ("placeholder", "get_attr"):
            continue
        value = tensor_of(node)
        if not isinstance(value, torch.Tensor):
            continue
        if device_asserts.ends_process(value.device) and value.device not in plan.devices:
            plan.devices.append(value.device)
        if node_facts.storages_of(node) & written_storages or value._version > 0:
            if value.requires_grad and not value.is_leaf:
                refuse_replay(sites, trace, "the graph writes to an input that is part of a gradient computation")
            plan.mutated.append(position if node.op == "placeholder" else attribute(module, node))
    if plan.devices:
        plan.gates = device_asserts.plan_gates(module, marks, trace)
        unchecked = unasserted(module, trace)
        if unchecked is not None:
            raise SiteRefused(f"operators may fail on the device before it is known whether {unchecked}")


def refuse_replay(sites: list[str], trace: Trace, reason: str) -> None:
    """Refuse all sites of a call that cannot run again; without sites, end the trace."""
    for site in sites:
        trace.refuse(site, reason)
    if not sites:
        raise SiteRefused(reason)


def attribute(module: GraphModule, node: Node) -> Any:
    """The tensor behind a `get_attr` node."""
    value: Any = module
    for name in str(node.target).split("."):
        value = getattr(value, name)
    return value


def add_flags(module: GraphModule, marks: Marks) -> None:
    """Add an output with the flags of the graph: whether a guard has fired, and the answer of every decision."""
    graph = module.graph
    fired: Optional[Node] = None
    for check in marks.checks:
        with graph.inserting_before(check.marker):
            condition = device_asserts.fired_condition(graph, check)
            fired = condition if fired is None else graph.call_method("logical_or", (fired, condition))
    output = graph.output_node()
    device = fake_of(marks.tests()[0].predicate).device
    with graph.inserting_before(output):
        if fired is None:
            fired = graph.call_function(torch.zeros, ((),), {"dtype": torch.bool, "device": device})
        flags = [fired, *(decision.predicate for decision in marks.decisions)]
        if len(flags) == 1:
            output.args = ((*outputs_of(module), fired),)
            return
        together = graph.call_function(torch.stack, ([graph.call_method("to", (flag, device)) for flag in flags],))
    output.args = ((*outputs_of(module), together),)


def erase_markers(module: GraphModule, marks: Marks) -> None:
    """Remove all markers, and the aliases used by markers alone."""
    for region in marks.regions:
        for select in region.selects:
            if select.marker is not None:
                module.graph.erase_node(select.marker)
        for node in reversed(region.markers):
            module.graph.erase_node(node)
    for part in marks.parts():
        module.graph.erase_node(part.marker)
    for event in marks.events:
        for value in event.values:
            if not value.users:
                module.graph.erase_node(value)
