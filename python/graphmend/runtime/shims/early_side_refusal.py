"""Early end of a trace with random numbers on one side of a branch.

    if x.sum() > 0:            # the graph would compute both sides, and draw in both
        x = self.dropout(x)

No proof behind the trace could allow such a side: the graph would draw other numbers than eager Python. The trace ends
at the operator, and saves the time for the rest.
"""

from __future__ import annotations

from typing import Any

from torch.fx import Node

from ..analysis import aten_facts, branch_proofs, node_facts
from ..base import hooks, torch_names, trace_state
from ..capture.trace_time import refuse_open

FEATURE = hooks.Feature(__name__, hooks.GUARD, "a side of a branch draws random numbers", partial=True, rules=("GM1",))


@FEATURE.hook("graph.example")
def note_example(note: Any, trace: trace_state.Trace, node: Node, value: Any) -> None:
    """Refuse a branch with random numbers on one side."""
    note(node, value)
    if trace.open and draws(node):
        refuse_open(trace, f"`{branch_proofs.name_of(node)}` draws random numbers on one side")


def draws(node: Node) -> bool:
    """Whether a node certainly draws random numbers."""
    if (
        not node_facts.draws(node)
        or isinstance(node.target, torch_names.HigherOrderOperator)
        or node.op == "call_module"
    ):
        return False
    try:
        return any(aten_facts.draws(*call[:3]) for call in branch_proofs.operators_of(node))
    except Exception:  # the proofs behind the trace decide
        return False
