"""Generators of `random.Random` from before the call, where Dynamo would draw by itself.

    self.rng = random.Random(7)
    x = x * self.rng.randint(1, 6)     # Dynamo: the same number in every call

Dynamo copies the state of such a generator into the compiled code, and no guard asks whether the state is still the
same. Draws that are read in front of the graph (`external_calls`) never come here; everything else is left to Python.
"""

from __future__ import annotations

from typing import Any

from ..base import hooks, trace_state
from ..capture.trace_time import leave_to_python

FEATURE = hooks.Feature(__name__, hooks.GUARD, "draws from generators of the program", partial=True)

COPIED = "a random generator of the program is asked while the graph is made"


@FEATURE.hook("random_object.method", needed=False)
def refuse_copy(method: Any, trace: trace_state.Trace, self: Any, *rest: Any) -> Any:
    """Refuse a method of a generator that lives longer than the call; break the graph there in frames on their own.

    Since torch 2.15 Dynamo draws from the generator itself, but nobody would undo the draws of a call that runs again.
    """
    return hooks.DECLINED if self.source is None else leave_to_python(trace, COPIED)
