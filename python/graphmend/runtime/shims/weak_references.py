"""Weak references to objects that the call makes.

    child = Child(weakref.ref(node))
    del node                     # the last reference
    child.parent() is None       # Dynamo keeps the object

Dynamo's variable of a weak reference always has its object. A reference to an object that the call makes is left to
Python. A frame on its own is not compiled at all: the frame behind a graph break would keep the object, too.
"""

from __future__ import annotations

import weakref
from typing import Any

from ..base import folders, hooks, trace_state
from ..capture.trace_time import leave_frame_to_python

FEATURE = hooks.Feature(__name__, hooks.GUARD, "weak references to new objects", partial=True)
REASON = "a weak reference to an object that the call makes"


@FEATURE.hook("class.call")
def leave_reference(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Leave a weak reference to a new object to Python; handles of hooks keep one to a table of their module."""
    if tx.f_code.co_filename.startswith(folders.TORCH):
        return hooks.DECLINED
    if issubclass(self.value, weakref.ref) and args and args[0].realize().source is None:
        leave_frame_to_python(trace, REASON)
    return hooks.DECLINED
