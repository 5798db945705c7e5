"""Calls of classes whose metaclass has a `__call__` of its own: singletons, registries, hooks behind `__init__`.

    class Singleton(type):
        made = {}
        def __call__(cls, *args):
            if cls not in cls.made:
                cls.made[cls] = super().__call__(*args)
            return cls.made[cls]

    Settings() is Settings()     # Dynamo makes two objects: it calls every class as `type.__call__` does

The method of the metaclass is traced with the class as first argument. Its `super().__call__(...)` and
`type.__call__(cls, ...)` end in `type.__call__`, and make the object as Dynamo does. A `__call__` of another kind than
a plain function is left to Python. `enum.EnumMeta.__call__` looks up constants. Classes that the call makes by
`type` are left to Python.
"""

from __future__ import annotations

import dataclasses
import enum
import types
from typing import Any

from ..base import hooks, trace_state
from ..base.dynamo_values import attribute_of
from ..capture.trace_time import leave_to_python
from .class_attribute_writes import behind


@dataclasses.dataclass
class Instantiation:
    """The class of the next call past a metaclass."""

    variable: Any = None


FEATURE = hooks.Feature(
    __name__, hooks.GUARD, "calls of classes that a metaclass answers", partial=True, state=Instantiation
)
CALL: Any = type.__dict__["__call__"]
LOOK_UP: Any = enum.EnumMeta.__dict__["__call__"]


@FEATURE.hook("class.call")
def call_metaclass(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Trace the `__call__` of a metaclass."""
    from ..base.torch_names import VariableTracker

    instantiation = FEATURE.of(trace)
    if instantiation.variable is self:
        instantiation.variable = None
        return hooks.DECLINED
    method = call_in(type(self.value).__mro__)
    if method is LOOK_UP or isinstance(method, (types.WrapperDescriptorType, type)):
        return hooks.DECLINED
    if not isinstance(method, types.FunctionType):
        leave_to_python(trace, f"a call of {self.value.__name__}, which an object of its metaclass answers")
    metaclass = VariableTracker.build(tx, type).call_function(tx, [self], {})
    return attribute_of(tx, metaclass, "__call__").call_function(tx, [self, *args], kwargs)


@FEATURE.hook("builtin.call", of=(type,))
def make_class(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Leave `type(name, bases, table)` to Python where a base may notice the new class: Dynamo makes it early."""
    from ..base.torch_names import BaseListVariable

    if len(args) != 3:
        return hooks.DECLINED
    bases = args[1].realize()
    kinds = [item.realize() for item in bases.items] if isinstance(bases, BaseListVariable) else [None]
    if kwargs or any(is_class(kind) or kind is None for kind in kinds):
        leave_to_python(trace, "a class that the call makes")
    return hooks.DECLINED


@FEATURE.hook("super.method")
def call_inherited(method: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Make the object in `super().__call__(...)`."""
    if name != "__call__" or not is_class(self.objvar):
        return hooks.DECLINED
    above = behind(type(self.objvar.realize().value).__mro__, self.typevar.as_python_constant())
    return instantiate(trace, tx, self.objvar, call_in(above), args, kwargs)


@FEATURE.hook("builtin.method")
def call_of_type(method: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Make the object in `type.__call__(cls, ...)`."""
    if name != "__call__" or self.fn is not type or not args or not is_class(args[0]):
        return hooks.DECLINED
    return instantiate(trace, tx, args[0], CALL, list(args[1:]), kwargs)


def instantiate(trace: trace_state.Trace, tx: Any, variable: Any, method: Any, args: Any, kwargs: Any) -> Any:
    """The variable of a new object of a class, or of a member of an enumeration; DECLINED for further methods."""
    from ..base.torch_names import VariableTracker

    variable = variable.realize()
    if method is LOOK_UP:
        if kwargs or len(args) != 1 or not args[0].is_python_constant():
            leave_to_python(trace, f"a look-up in {variable.value.__name__}")
        return VariableTracker.build(tx, LOOK_UP(variable.value, args[0].as_python_constant()))
    if method is not CALL:
        return hooks.DECLINED
    FEATURE.of(trace).variable = variable
    return variable.call_function(tx, list(args), kwargs)


def call_in(metaclasses: tuple[type, ...]) -> Any:
    """The first `__call__` of these metaclasses; None without one."""
    return next((vars(base)["__call__"] for base in metaclasses if "__call__" in vars(base)), None)


def is_class(variable: Any) -> bool:
    """Whether a variable is a class of the program."""
    from ..base.torch_names import UserDefinedClassVariable

    return variable is not None and isinstance(variable.realize(), UserDefinedClassVariable)
