"""Calls of `typing.TypedDict` classes, which return plain dictionaries.

    class Output(TypedDict, total=False):
        logits: torch.Tensor

    return Output(logits=x)     # Dynamo refuses classes with optional keys

The metaclass of such a class has `dict` as its `__call__`: the class takes the arguments of `dict`, without a check of
the keys.
"""

from __future__ import annotations

from typing import Any

from ..base import hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GAIN, "dictionaries with declared keys")


@FEATURE.hook("class.call")
def call_typed(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Call `dict`, like the metaclass."""
    from ..base.torch_names import VariableTracker

    if vars(type(self.value)).get("__call__") is dict:
        return VariableTracker.build(tx, dict).call_function(tx, list(args), kwargs)
    return hooks.DECLINED
