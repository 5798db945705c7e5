"""Autograd functions (`torch.autograd.Function`) whose passes are class methods.

    class Sparse(torch.autograd.Function):
        @classmethod
        def forward(cls, ctx, x, dim=-1):
            ctx.save_for_backward(x)
            return cls.threshold(x, dim)

Dynamo hands such a method its class twice, and breaks the graph. The hook binds the method to the class once.
"""

from __future__ import annotations

import types
from typing import Any

from ..base import hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GAIN, "autograd.Function with class methods")


@FEATURE.hook("autograd_function.prepare")
def bind_class(call: Any, trace: trace_state.Trace, self: Any, tx: Any, context: Any, name: str, args: Any) -> Any:
    """Dynamo's variable for a pass, and the arguments of the pass."""
    from ..base.torch_names import UserDefinedClassVariable, UserMethodVariable

    method = self.fwd_fn if name == "forward" else self.bwd_fn
    if type(method) is not types.MethodType or not isinstance(method.__self__, type):
        return hooks.DECLINED
    owner = UserDefinedClassVariable(method.__self__, source=self.parent_source)  # `super()` asks for the source
    return UserMethodVariable(method.__func__, owner), [context, *args]
