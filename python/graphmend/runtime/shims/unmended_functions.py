"""Functions that no import has mended (`graphmend.function_mends`) get their mended code when Dynamo inlines them."""

from __future__ import annotations

from typing import Any

from ..base import hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GAIN, "functions of notebooks, prompts and earlier imports", partial=True)


@FEATURE.hook("function.call")
def mend_first(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Exchange the code of a function before its translator reads it; guards are made later, for the new code."""
    from graphmend import function_mends

    function_mends.mend_function(getattr(self, "fn", None))
    return call(self, tx, args, kwargs)
