"""Functions of properties where Dynamo does not call them: `Class.name.fset(self, value)` and `super().name`.

Dynamo calls them where an attribute of an object is read or set, and neither where the program takes them out of the
property nor where it asks `super()` for the attribute.
"""

from __future__ import annotations

from typing import Any

from ..base import hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GAIN, "functions of properties called by themselves and by `super()`")

NAMES = ("fget", "fset", "fdel")


@FEATURE.hook("translator.call")
def call_function(call: Any, trace: trace_state.Trace, self: Any, function: Any, args: Any, kwargs: Any) -> Any:
    """Call the function instead of a method of the property."""
    from ..base.torch_names import GetAttrVariable

    name = function.name if type(function) is GetAttrVariable else ""
    descriptor = getattr(function.obj, "descriptor", None) if name in NAMES else None
    found = getattr(descriptor, name) if type(descriptor) is property else None
    if found is not None:
        function = built(self, found, function.obj.source, name)
    return call(self, function, args, kwargs)


@FEATURE.hook("super.getattr")
def read_of_super(call: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Call the function of a property that `super()` finds."""
    from ..base.torch_names import GetAttrVariable

    found = call(self, tx, name)
    if type(found) is not GetAttrVariable or self.objvar is None:
        return found
    descriptor, source = self._resolved_getattr_and_source(tx, name)
    if type(descriptor) is not property or descriptor.fget is None:
        return found
    return built(tx, descriptor.fget, source, "fget").call_function(tx, [self.objvar], {})


def built(tx: Any, function: Any, owner: Any, name: str) -> Any:
    """Dynamo's variable of a function that a property holds."""
    from ..base.torch_names import AttrSource, VariableTracker

    return VariableTracker.build(tx, function, source=None if owner is None else AttrSource(owner, name))
