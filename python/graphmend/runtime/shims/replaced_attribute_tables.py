"""A new `__dict__` for an object.

    class Shared:
        state = {}
        def __init__(self):
            self.__dict__ = self.state        # all objects share their attributes

Dynamo keeps the attributes of the object from before, and does not see those of the new dictionary. The assignment is
left to Python.
"""

from __future__ import annotations

from typing import Any

from ..base import hooks, trace_state
from ..capture.trace_time import leave_to_python

FEATURE = hooks.Feature(__name__, hooks.GUARD, "objects that get a new `__dict__`", partial=True)


@FEATURE.hook("effects.store")
def leave_table(
    store: Any, trace: trace_state.Trace, self: Any, item: Any, name: Any, *args: Any, **kwargs: Any
) -> Any:
    """Leave a new table of attributes to Python."""
    if name == "__dict__":
        leave_to_python(trace, "an object gets a new `__dict__`")
    return hooks.DECLINED
