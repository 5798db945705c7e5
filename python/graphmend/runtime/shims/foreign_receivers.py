"""Methods of built-in classes, called with an object of another class.

    int.__add__("a", 1)      # TypeError: descriptor '__add__' requires a 'int' object but received a 'str'
    str.lower(5)

Dynamo calls the method of the given object. The call is left to Python, and Python raises an exception.
"""

from __future__ import annotations

import inspect
import types
from typing import Any

from ..base import hooks, trace_state
from ..base.dynamo_values import kind_of
from ..capture.trace_time import leave_to_python

FEATURE = hooks.Feature(
    __name__, hooks.GUARD, "methods of built-in classes with objects of other classes", partial=True
)
UNBOUND = (types.MethodDescriptorType, types.WrapperDescriptorType)


@FEATURE.hook("builtin.method")
def check_receiver(method: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Leave a call with an object of another class to Python."""
    if not isinstance(self.fn, type) or not args:
        return hooks.DECLINED
    if not isinstance(inspect.getattr_static(self.fn, name, None), UNBOUND):
        return hooks.DECLINED
    kind = kind_of(args[0].realize())
    if kind is not None and not issubclass(kind, self.fn):
        leave_to_python(trace, f"{self.fn.__name__}.{name} of an object of another class")
    return hooks.DECLINED
