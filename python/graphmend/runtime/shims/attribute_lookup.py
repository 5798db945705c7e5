"""Objects of classes with a `__getattribute__` of their own: what `super().__getattribute__` finds, and their copies.

    class Config:
        def __getattribute__(self, name):
            return super().__getattribute__(RENAMED.get(name, name))

    copied = copy.deepcopy(config)  # then `copied.layers = 2`, and `copied.layers` is read

Releases of torch before 2.13 look such an attribute up in the object that stood there before the call, so what the call
itself has set is not found; they also do not follow `object.__reduce_ex__` of such an object, which `copy` asks.
"""

from __future__ import annotations

import copyreg
import types
from typing import Any

from ..base import hooks, trace_state
from ..base.dynamo_values import inline

FEATURE = hooks.Feature(__name__, hooks.GAIN, "objects with a `__getattribute__` of their own, and their copies")

REDUCING = ("__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__", "__getnewargs_ex__")
HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: a class made by Python code


@FEATURE.hook("translator.call")
def look_up(call: Any, trace: trace_state.Trace, self: Any, function: Any, args: Any, kwargs: Any) -> Any:
    """Look the attribute up in what the call has made of the object."""
    owner = receiver(function)
    if owner is None or kwargs or len(args) != 1 or not args[0].is_python_constant():
        return call(self, function, args, kwargs)
    self.push(owner.generic_getattr(self, args[0].as_python_constant()))


@FEATURE.hook("skipped.call")
def reduce_object(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Reduce an object as Python does it in C."""
    from ..base.torch_names import VariableTracker

    if kwargs or len(args) != 1 or not is_plain_reduction(self.value) or self.source is None:
        return call(self, tx, args, kwargs)
    return inline(tx, reduced, [VariableTracker.build(tx, self.value.__self__, self.source.base)], {})


def receiver(function: Any) -> Any:
    """Dynamo's variable of the object that `super().__getattribute__` asks; None for any other function."""
    from ..base.torch_names import GetAttrVariable, SuperVariable, UserDefinedObjectVariable

    if type(function) is not GetAttrVariable or function.name != "__getattribute__":
        return None
    owner = function.obj.objvar if isinstance(function.obj, SuperVariable) else None
    if not isinstance(owner, UserDefinedObjectVariable):
        return None
    found, _ = function.obj._resolved_getattr_and_source(None, function.name)
    return owner if found is object.__getattribute__ else None


def is_plain_reduction(method: Any) -> bool:
    """Whether a method is `__reduce_ex__` of an object that its class and its `__dict__` make again."""
    if type(method) is not types.BuiltinMethodType or method.__name__ != "__reduce_ex__":
        return False
    kind = type(method.__self__)
    standard = all(getattr(kind, name, None) is getattr(object, name, None) for name in REDUCING)
    own = all(base is object or base.__flags__ & HEAP_TYPE for base in kind.__mro__)
    return standard and own and bool(vars(method.__self__)) and not copyreg._slotnames(kind)


def reduced(value: Any) -> tuple[Any, ...]:
    """What `object.__reduce_ex__` gives for an object with attributes."""
    return copyreg.__newobj__, (type(value),), value.__dict__, None, None
