"""Mended code for functions that no import hook has mended, when Dynamo inlines them.

    def helper(x):              # typed at a prompt, or imported before graphmend
        print(x.sum())
        return x

`graphmend.function_mends` mends the source of a single function. Dynamo then traces the mended code.
"""

from __future__ import annotations

from typing import Any

from ..base import hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GAIN, "functions of notebooks, prompts and earlier imports", partial=True)


@FEATURE.hook("function.call")
def mend_first(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Replace the code of a function before Dynamo reads the code; guards are made later, for the new code."""
    from graphmend import function_mends

    function_mends.mend_function(getattr(self, "fn", None))
    return hooks.DECLINED
