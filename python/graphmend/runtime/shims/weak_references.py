"""Weak references to objects that the call makes.

    child = Child(weakref.ref(node))
    del node                     # the last reference
    child.parent() is None       # Dynamo keeps the object

Dynamo's variable of a weak reference always has its object. A reference to an object made by the call is left to Python.
"""

from __future__ import annotations

import weakref
from typing import Any

from ..base import hooks, trace_state
from ..capture.trace_time import leave_to_python

FEATURE = hooks.Feature(__name__, hooks.GUARD, "weak references to new objects", partial=True)


@FEATURE.hook("class.call")
def leave_reference(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Leave a weak reference to a new object to Python."""
    if issubclass(self.value, weakref.ref) and args and args[0].realize().source is None:
        leave_to_python(trace, "a weak reference to an object that the call makes")
    return hooks.DECLINED
