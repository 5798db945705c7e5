"""Functions marked with `torch.compiler.assume_constant_result`, called on a side of a branch.

    if x.sum() > 0:
        x = x * scale("big")       # Dynamo runs the function while tracing, and puts the result into the graph
    else:
        x = x * scale("small")

A graph with both sides would run both functions, with their output and effects. The branch stays as written.
"""

from __future__ import annotations

from typing import Any

from ..base import folders, hooks, trace_state
from ..capture.trace_time import refuse_open

FEATURE = hooks.Feature(__name__, hooks.GUARD, "constant results on sides", partial=True, rules=("GM1",))


@FEATURE.hook("function.call")
def refuse_side(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Refuse a side that calls a marked function of the program."""
    if trace.open and self.is_constant and not self.get_code().co_filename.startswith(folders.RUNTIME):
        refuse_open(trace, "a side calls a function marked with `assume_constant_result`")
    return hooks.DECLINED
