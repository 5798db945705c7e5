"""Calls of classes that `typing.TypedDict` makes: they give plain dictionaries.

The metaclass of such a class has `dict` in place of its call, so the class takes what `dict` takes, and nothing looks
at the keys. Dynamo refuses those whose keys may be missing.
"""

from __future__ import annotations

from typing import Any

from ..base import hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GAIN, "dictionaries with declared keys")


@FEATURE.hook("class.call")
def call_typed(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Call `dict`, as the metaclass does."""
    from ..base.torch_names import VariableTracker

    if vars(type(self.value)).get("__call__") is dict:
        return VariableTracker.build(tx, dict).call_function(tx, list(args), kwargs)
    return call(self, tx, args, kwargs)
