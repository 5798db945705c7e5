"""Tensors of the caller that get other memory by `.data`, beside readers and writers of the old memory.

    view = x.view(-1)
    view.mul_(2)              # writes to the old memory of `x`
    x.data = x.data + 1       # from here on `x` has other memory, and `view` keeps the old memory
    return view

Dynamo gives `x` the memory by `set_`. A backend knows a view by its base, so it takes `view` for a view of the new
memory, and forgets the writes to the old memory. A call is left to Python where it holds the old memory and has written
to it, or where it uses the old memory behind the change. Reads in front of the change are common:
`p.data = p.data * decay`.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from torch.fx import GraphModule, Node

from ..analysis import node_facts
from ..base import call_stack, hooks, trace_state
from ..base.dynamo_values import is_unread
from ..capture.trace_time import leave_frame_to_python

REASON = "a tensor gets other memory by `.data`, and its old memory is used, too"


@dataclasses.dataclass
class Replaced:
    """The old memory of tensors in one graph, each with the last node in front of the change."""

    output: Any = None
    memory: list[tuple[Any, Node]] = dataclasses.field(default_factory=list)


FEATURE = hooks.Feature(__name__, hooks.GUARD, "memory replaced by `.data`", partial=True, state=Replaced)


@FEATURE.hook("attribute.set")
def note_memory(store: Any, trace: trace_state.Trace, self: Any, tx: Any, item: Any, name: Any, value: Any) -> Any:
    """Note the old memory of a tensor; leave the call to Python where the old memory was written to."""
    from ..base.torch_names import TensorVariable

    if not isinstance(item, TensorVariable) or not name.is_python_constant() or name.as_python_constant() != "data":
        return hooks.DECLINED
    old = item.as_proxy().node.meta["example_value"]
    storage = node_facts.storage_of(old)
    if storage is not None and not is_same_memory(value.realize(), old):
        nodes = list(tx.output.graph.nodes)
        # The graph of a whole call is looked at again behind the trace; the use of the memory may stand behind a break.
        # Where nobody in the call holds the old memory, as behind the step of an optimizer, compilers forget the writes
        # with and without graphmend.
        is_written = any(storage in node_facts.writes_of(node) for node in nodes)
        if (is_written or not trace.whole) and is_held(tx, old, storage):
            leave_frame_to_python(trace, REASON)
        FEATURE.of_graph(trace, tx.output).memory.append((old.untyped_storage(), nodes[-1]))
    return hooks.DECLINED


def is_same_memory(value: Any, old: Any) -> bool:
    """Whether a tensor has the very memory of another one, as in `p.data -= rate * p.grad`."""
    new = value.as_proxy().node.meta.get("example_value") if value.is_tensor() else None
    if new is None or node_facts.storage_of(new) != node_facts.storage_of(old):
        return False
    return geometry(new) == geometry(old)


def geometry(tensor: Any) -> tuple[Any, ...]:
    """What a tensor makes of its memory."""
    return tensor.dtype, tuple(tensor.shape), tuple(tensor.stride()), tensor.storage_offset()


def is_held(tx: Any, tensor: Any, storage: int) -> bool:
    """Whether a variable of the program holds another tensor with the old memory."""
    from ..base.torch_names import TensorVariable

    for frame in call_stack.translators(tx):
        for variable in frame.symbolic_locals.values():
            if not is_unread(variable) and isinstance(variable.realize(), TensorVariable):
                value = variable.as_proxy().node.meta.get("example_value")
                if value is not tensor and node_facts.storage_of(value) == storage:
                    return True
    return False


def refuse_used(module: GraphModule, trace: trace_state.Trace) -> None:
    """Refuse the graph of a whole call that uses the old memory of a tensor behind the change."""
    replaced = FEATURE.of(trace).memory
    nodes = list(module.graph.nodes) if replaced else []
    for memory, last in replaced:
        behind = set(node_facts.nodes_behind(nodes, last))
        for node in nodes:
            if memory._cdata in node_facts.storages_of(node) and not behind.isdisjoint({node, *node.users}):
                raise trace_state.SiteRefused(REASON)
