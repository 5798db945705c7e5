"""Objects whose class defines `__getattribute__`: lookups through `super().__getattribute__`, and copies of the
objects.

    class Config:
        def __getattribute__(self, name):
            return super().__getattribute__(RENAMED.get(name, name))

    copied = copy.deepcopy(config)  # then the call sets `copied.layers = 2`, and reads `copied.layers`

Before torch 2.13, Dynamo looks up such an attribute in the object as it was before the call, and misses attributes set
by the call. Dynamo also does not follow `object.__reduce_ex__` of such an object, the method behind `copy`. The hooks
look the attribute up in Dynamo's record of the object, and reduce the object in Python.
"""

from __future__ import annotations

import copyreg
import types
from typing import Any

from ..base import hooks, trace_state
from ..base.dynamo_values import are_python_classes, inline

FEATURE = hooks.Feature(__name__, hooks.GAIN, "objects with a `__getattribute__` of their own, and their copies")

REDUCING = ("__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__", "__getnewargs_ex__")
REGISTRY: Any = copyreg  # the stubs of `copyreg` lack the helpers of C code


@FEATURE.hook("translator.call")
def look_up(call: Any, trace: trace_state.Trace, self: Any, function: Any, args: Any, kwargs: Any) -> Any:
    """Look an attribute up in the present state of the object."""
    owner = receiver(function)
    if owner is None or kwargs or len(args) != 1 or not args[0].is_python_constant():
        return hooks.DECLINED
    self.push(owner.generic_getattr(self, args[0].as_python_constant()))


@FEATURE.hook("skipped.call")
def reduce_object(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Reduce an object as Python's C code does."""
    from ..base.torch_names import VariableTracker

    if kwargs or len(args) != 1 or not is_plain_reduction(self.value) or self.source is None:
        return hooks.DECLINED
    return inline(tx, reduce_ex, [VariableTracker.build(tx, self.value.__self__, self.source.base)], {})


def receiver(function: Any) -> Any:
    """The object's variable in `super().__getattribute__`; None for other functions."""
    if vars(function).get("name") != "__getattribute__":
        return None
    from ..base.torch_names import GetAttrVariable, SuperVariable, UserDefinedObjectVariable

    if type(function) is not GetAttrVariable:
        return None
    owner = function.obj.objvar if isinstance(function.obj, SuperVariable) else None
    if not isinstance(owner, UserDefinedObjectVariable):
        return None
    method, _ = function.obj._resolved_getattr_and_source(None, function.name)
    return owner if method is object.__getattribute__ else None


def is_plain_reduction(method: Any) -> bool:
    """Whether a method is `__reduce_ex__` of an object that its class and its `__dict__` determine."""
    if type(method) is not types.BuiltinMethodType or method.__name__ != "__reduce_ex__":
        return False
    kind = type(method.__self__)
    standard = all(getattr(kind, name, None) is getattr(object, name, None) for name in REDUCING)
    return standard and are_python_classes(kind) and bool(vars(method.__self__)) and not REGISTRY._slotnames(kind)


def reduce_ex(value: Any) -> tuple[Any, ...]:
    """The result of `object.__reduce_ex__` for an object with attributes."""
    return REGISTRY.__newobj__, (type(value),), value.__dict__, None, None
