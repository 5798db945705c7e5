"""What ends a trace as soon as a side of a branch holds it, because no proof behind the trace could let it pass."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator

import torch
from torch.fx import Node

from . import op_facts, prove, state
from .markers import site_of


@contextlib.contextmanager
def sides_watched(trace: state.Trace) -> Iterator[None]:
    """Refuse a branch inside the block where a side draws random numbers: which of them are drawn would change."""
    from torch._dynamo.variables import builder, tensor

    note = builder.set_example_value

    def noting(node: Node, value: Any) -> None:
        note(node, value)
        if trace.open and draws(node):
            reason = f"`{prove.name_of(node)}` draws random numbers on one side"
            for key, _ in trace.open:
                trace.refuse(site_of(key), reason)
            raise state.SiteRefused(reason)

    with state.replaced((builder, "set_example_value", noting), (tensor, "set_example_value", noting)):
        yield


def draws(node: Node) -> bool:
    """Whether a node surely draws random numbers."""
    if not prove.draws(node) or isinstance(node.target, torch._ops.HigherOrderOperator) or node.op == "call_module":
        return False
    try:
        return any(op_facts.draws(call[0]) for call in prove.operators_of(node))
    except Exception:  # the proofs behind the trace will tell
        return False
