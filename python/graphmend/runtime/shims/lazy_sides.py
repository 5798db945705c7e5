"""Lazy modules on one side of a branch, and function modes of the program.

    if x.sum() > 0:
        y = self.head(x)          # `head` is a LazyLinear: Dynamo makes its weights while it traces the call
    else:
        y = self.other(x)

A graph with both sides would make the weights of both, and draw random numbers for both. A guessed path may
differ from the path of the call. A function mode of the program would see the calls added by mends.
"""

from __future__ import annotations

from typing import Any

from ..base import folders, hooks, trace_state
from ..capture.path_speculation import SPECULATION
from ..capture.trace_time import refuse_open

FEATURE = hooks.Feature(
    __name__, hooks.GUARD, "modules made on one side, and modes that see calls", partial=True, rules=("GM1",)
)


@FEATURE.hook("module.initialize", needed=False)
def refuse_weights(initialize: Any, trace: trace_state.Trace, tx: Any, module: Any, args: Any, kwargs: Any) -> Any:
    """Refuse a branch with a lazy module on one side, and a guessed path with a lazy module."""
    if trace.open:
        refuse_open(trace, "a side makes the weights of a lazy module")
    path = SPECULATION.of(trace).path
    if path is not None and path.shadow is None:
        raise trace_state.SiteRefused("a lazy module is called on a path that may not be that of the call")
    return hooks.DECLINED


@FEATURE.hook("mode.enter", needed=False)
def refuse_mode(enter: Any, trace: trace_state.Trace, self: Any, tx: Any) -> Any:
    """Refuse a whole call that enters a function mode of the program."""
    kind = self.python_type()
    if trace.whole and not kind.__module__.startswith(("torch.", f"{folders.PACKAGE}.")):
        raise trace_state.SiteRefused(f"a mode of the program sees the calls of torch ({kind.__name__})")
    return hooks.DECLINED
