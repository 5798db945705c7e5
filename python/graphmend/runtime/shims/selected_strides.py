"""Questions on the memory order of tensors, in a graph that selects between rows with other strides.

    token = targets[:, n] if forced else logits.argmax(-1)     # a column, or a tensor of its own
    token.is_contiguous()                                      # depends on the side that the call takes

No operator tells a row of integers from another with other strides, so the graph selects between two such rows. A graph
whose program asks for strides is refused.
"""

from __future__ import annotations

from typing import Any

from ..base import hooks, marker_ops, trace_state

FEATURE = hooks.Feature(__name__, hooks.GUARD, "strides of selected rows", partial=True)

ASKING = frozenset(["as_strided", "data_ptr", "is_contiguous", "storage_offset", "stride", "untyped_storage"])


@FEATURE.hook("tensor.method")
def refuse_question(
    method: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any
) -> Any:
    """Refuse the selection where the program asks for the memory order of a tensor."""
    differing = marker_ops.DIFFERING.of(trace)
    if name in ASKING and differing:
        reason = "the two sides have different strides, and the program asks for strides"
        for key in differing:
            trace.refuse(marker_ops.site_of(key), reason)
        raise trace_state.SiteRefused(reason)
    return hooks.DECLINED
