"""Numbers that an autograd function or a checkpoint reads from its tensors.

    class Quantize(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.scale = x.abs().max().item()
            return (x / ctx.scale).round()

Dynamo traces the body into an inner graph, and a symbolic number of an inner graph is unknown outside. The number is
therefore read in front of the function, from a copy of the nodes behind it (`capture/hoisted_tests.py`), and becomes an
input of the body.
"""

from __future__ import annotations

from typing import Any

from ..base import hooks, trace_state
from ..capture import hoisted_tests

FEATURE = hooks.Feature(__name__, hooks.GAIN, "numbers that autograd functions read")


@FEATURE.method("item")
def item_in_front(call: Any, trace: trace_state.Trace, self: Any, tx: Any, *args: Any, **kwargs: Any) -> Any:
    """The number of a tensor of the body, read in the outermost graph."""
    is_inside = trace.whole and hoisted_tests.is_inside(tx.output.current_tracer)
    tensor = hoisted_tests.tensor_in_front(tx, self) if is_inside and not args and not kwargs else None
    if tensor is None:
        return call(self, tx, *args, **kwargs)
    with hoisted_tests.at_top(tx.output):
        return tensor.call_method(tx, "item", [], {})
