"""`Class.name.fset(self, value)`: the functions of a property, called by themselves.

Dynamo calls them where the attribute is read or set, and not where the program takes them out of the property.
"""

from __future__ import annotations

from typing import Any

from ..base import hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GAIN, "functions of properties called by themselves")

NAMES = ("fget", "fset", "fdel")


@FEATURE.hook("translator.call")
def call_function(call: Any, trace: trace_state.Trace, self: Any, function: Any, args: Any, kwargs: Any) -> Any:
    """Call the function instead of a method of the property."""
    from ..base.torch_names import AttrSource, GetAttrVariable, VariableTracker

    name = function.name if type(function) is GetAttrVariable else ""
    descriptor = getattr(function.obj, "descriptor", None) if name in NAMES else None
    found = getattr(descriptor, name) if type(descriptor) is property else None
    if found is not None:
        owner = function.obj.source
        function = VariableTracker.build(self, found, source=None if owner is None else AttrSource(owner, name))
    return call(self, function, args, kwargs)
