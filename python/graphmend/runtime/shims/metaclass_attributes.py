"""Attributes of a class found in the metaclass, and metaclasses with a `__setattr__`.

    class Singleton(type):
        made = {}
        def __call__(cls):
            if cls not in cls.made: ...     # Dynamo does not look into an attribute of the metaclass

    class Locked(type):
        def __setattr__(cls, name, value):  # Dynamo sets the attribute, and does not ask
            raise AttributeError(name)

A plain attribute of the metaclass is read from the metaclass, where the class has no attribute of the name. Writes to
classes of a metaclass with a `__setattr__` are left to Python.
"""

from __future__ import annotations

from typing import Any

from ..base import hooks, trace_state
from ..base.dynamo_values import attribute_of
from ..capture.trace_time import leave_to_python
from .class_attribute_writes import inherited_write, own_write

FEATURE = hooks.Feature(__name__, hooks.GUARD, "attributes of metaclasses", partial=True)
BUILT_IN = (type, object)
SETTER: Any = type.__setattr__


@FEATURE.hook("class.getattr")
def read_of_metaclass(read: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Read a plain attribute from the metaclass."""
    from ..base.torch_names import VariableTracker

    metaclass = type(self.value)
    if metaclass is type or any(name in vars(base) for base in self.value.__mro__):
        return hooks.DECLINED
    owner = next((base for base in metaclass.__mro__ if name in vars(base)), type)
    if owner in BUILT_IN or hasattr(type(vars(owner)[name]), "__get__"):
        return hooks.DECLINED
    if own_write(tx, self, name) or inherited_write(tx, self.value.__mro__, name) is not None:
        return hooks.DECLINED
    return attribute_of(tx, VariableTracker.build(tx, type).call_function(tx, [self], {}), name)


@FEATURE.hook("effects.store")
def leave_write(store: Any, trace: trace_state.Trace, self: Any, item: Any, *args: Any, **kwargs: Any) -> Any:
    """Leave a write with a `__setattr__` of the metaclass to Python."""
    from ..base.torch_names import UserDefinedClassVariable

    if isinstance(item, UserDefinedClassVariable) and type(item.value).__setattr__ is not SETTER:
        leave_to_python(trace, f"the metaclass of {item.value.__name__} answers writes")
    return hooks.DECLINED
