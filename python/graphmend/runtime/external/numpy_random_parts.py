"""Random numbers of NumPy in calls that are compiled in parts.

    np.random.seed(3)          # Dynamo seeds the generator of torch
    noise = np.random.rand(4)  # and draws from it

Whole calls get the numbers of NumPy in front of the graph or from operators. In the parts of a call, the functions of
NumPy's own generator are left to Python.
"""

from __future__ import annotations

import sys
from typing import Any

from ..base import hooks, trace_state
from ..capture.trace_time import leave_to_python

FEATURE = hooks.Feature(
    __name__,
    hooks.GUARD,
    "random numbers of NumPy in parts of a call",
    partial=True,
    wanted=hooks.in_parts,
)


@FEATURE.hook("numpy.call")
def leave_draw(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Leave a function of NumPy's own generator to Python."""
    random = sys.modules.get("numpy.random")
    if random is not None and vars(random).get(getattr(self.value, "__name__", "")) is self.value:
        leave_to_python(trace, "a random number of NumPy in a part of a call")
    return hooks.DECLINED
