"""Settings of torch for the whole process, changed by the call.

    torch.set_default_dtype(torch.float64)
    a = torch.zeros(2)                        # the dtype is decided during the trace, which changes no setting
    torch.set_default_dtype(torch.float32)

Dynamo writes the change into the graph, and makes tensors in front of the change. A compiler makes the change while it
compiles, and forgets the change in the compiled graph. A change is left to Python; a call that only repeats the
present value stays, as Dynamo guards the settings.
"""

from __future__ import annotations

from typing import Any, Callable

import torch

from ..base import hooks, trace_state
from ..base.dynamo_values import as_constant
from ..capture.trace_time import leave_to_python

FEATURE = hooks.Feature(__name__, hooks.GUARD, "settings of torch for the process", partial=True)

# Functions with the function that reads the present value; None where no guard holds the value.
SETTINGS: dict[Callable[..., Any], Any] = {
    torch.set_default_dtype: torch.get_default_dtype,
    torch.set_default_tensor_type: None,
    torch.use_deterministic_algorithms: torch.are_deterministic_algorithms_enabled,
    torch.set_deterministic_debug_mode: None,
    torch.set_float32_matmul_precision: None,
    torch.set_flush_denormal: None,
    torch.set_num_threads: None,
    torch.set_num_interop_threads: None,
    torch.set_warn_always: None,
}


@FEATURE.hook("torch_function.call")
def leave_change(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Leave a change of a setting to Python."""
    if self.value in SETTINGS and not is_repeated(SETTINGS[self.value], args, kwargs):
        leave_to_python(trace, f"the call changes a setting of torch (`{self.value.__name__}`)")
    return hooks.DECLINED


def is_repeated(present: Any, args: Any, kwargs: Any) -> bool:
    """Whether a call sets the present value, which is its only argument."""
    if present is None or len(args) != 1 or kwargs or not args[0].is_python_constant():
        return False
    return bool(as_constant(args[0]) == present())
