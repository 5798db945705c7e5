"""Functions of properties outside of plain attribute access: `Class.name.fset(self, value)` and `super().name`.

    class Scaled(Base):
        @Base.scale.setter
        def scale(self, value):
            Base.scale.fset(self, abs(value))     # Dynamo breaks the graph

Dynamo calls the functions of a property for reads and writes of an attribute. Here Dynamo also calls them where the
program takes the function out of the property, or reads the property through `super()`.

The checks of `torch.distributions.Categorical(logits=x, validate_args=True)` read lazy properties from the class.
Dynamo guards such a read on the wrong object, and the compilation fails.
"""

from __future__ import annotations

import inspect
from typing import Any

import torch

from ..base import hooks, torch_names, trace_state

FEATURE = hooks.Feature(__name__, hooks.GAIN, "functions of properties by themselves and by `super()`, lazy properties")

NAMES = ("fget", "fset", "fdel")
LazyProperty = torch.distributions.utils.lazy_property


@FEATURE.hook("translator.call")
def call_function(call: Any, trace: trace_state.Trace, self: Any, function: Any, args: Any, kwargs: Any) -> Any:
    """Call the function in a property."""
    name = vars(function).get("name")
    if name not in NAMES or type(function) is not torch_names.GetAttrVariable:
        return hooks.DECLINED
    descriptor = getattr(function.obj, "descriptor", None)
    accessor = getattr(descriptor, name) if type(descriptor) is property else None
    if accessor is None:
        return hooks.DECLINED
    return call(self, function_variable(self, accessor, function.obj.source, name), args, kwargs)


@FEATURE.hook("super.getattr")
def read_of_super(call: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Call the getter of a property found by `super()`."""
    from ..base.torch_names import GetAttrVariable

    variable = call(self, tx, name)
    if type(variable) is not GetAttrVariable or self.objvar is None:
        return variable
    descriptor, source = self._resolved_getattr_and_source(tx, name)
    if type(descriptor) is not property or descriptor.fget is None:
        return variable
    return function_variable(tx, descriptor.fget, source, "fget").call_function(tx, [self.objvar], {})


@FEATURE.hook("class.getattr")
def read_of_class(call: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Read a lazy property of a distribution from its class: a new property for each reader."""
    from ..base.torch_names import UserDefinedObjectVariable, VariableTracker

    descriptor = inspect.getattr_static(self.value, name, None)
    if type(descriptor) is not LazyProperty or not hasattr(self, "get_source_by_walking_mro"):
        return hooks.DECLINED
    if self.source is not None:
        VariableTracker.build(tx, descriptor, self.get_source_by_walking_mro(tx, name))  # guards
    return UserDefinedObjectVariable(getattr(self.value, name))


def function_variable(tx: Any, function: Any, owner: Any, name: str) -> Any:
    """Dynamo's variable for a function in a property."""
    from ..base.torch_names import AttrSource, VariableTracker

    return VariableTracker.build(tx, function, source=None if owner is None else AttrSource(owner, name))
