"""Numbers from data that a call returns, under a mode such as that of `torch.set_default_device`.

    torch.set_default_device("cuda")
    def step(x): return {"loss": x.mean().item()}      # the graph returns the number as a tensor

Dynamo makes this tensor when the trace has ended, by a call of `torch.scalar_tensor`. Under a mode it traces the mode's
handler for the call, and a trace that has ended gives None for it: the number would be lost. The program has called
nothing there, so no mode is asked.
"""

from __future__ import annotations

from typing import Any

from ..base import hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GUARD, "numbers that a graph returns under a mode are lost")


@FEATURE.hook("torch_function.call")
def call_behind_trace(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Call functions without the handlers of modes once the trace has ended."""
    if not tx.output.should_exit:
        return hooks.DECLINED
    modes = tx.symbolic_torch_function_state
    enabled, modes.torch_function_mode_enabled = modes.torch_function_mode_enabled, False
    try:
        return call(self, tx, args, kwargs)
    finally:
        modes.torch_function_mode_enabled = enabled
