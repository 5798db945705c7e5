"""`isinstance` with classes whose metaclass answers.

    class Kind(type):
        def __instancecheck__(cls, value):
            return getattr(value, "kind", None) == cls.__name__

    isinstance(Layer(), Layer)       # True in Python, which first compares the classes
    isinstance(value, (int, Layer))  # Dynamo asks `issubclass` of the types

Dynamo calls the method for real, with an object without the attributes set by the call. The hook traces the method, for
each class of a tuple in turn. Python leaves a `__subclasscheck__` out of `isinstance`; Dynamo calls the method. Dynamo
knows the answers of `abc` and torch. A protocol is left to Python where an attribute set by the call decides.
"""

from __future__ import annotations

import abc
import inspect
import types
from typing import Any, Optional

from ..base import hooks, trace_state
from ..base.dynamo_values import inline, kind_of, package
from ..capture.trace_time import leave_to_python
from .class_attribute_writes import behind

FEATURE = hooks.Feature(__name__, hooks.GUARD, "instance checks of metaclasses", partial=True)
KNOWN = frozenset(("abc", "_py_abc", "enum", "torch"))  # packages whose answers Dynamo knows
PROTOCOLS = frozenset(("typing", "typing_extensions"))


@FEATURE.hook("builtin.call", of=(isinstance,))
def check_instance(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Trace the checks of metaclasses."""
    from ..base.torch_names import ConstantVariable, UserDefinedClassVariable

    if len(args) != 2 or kwargs or not args[1].is_python_constant():
        return hooks.DECLINED
    kinds = args[1].realize()
    value = kinds.as_python_constant()
    if isinstance(value, tuple):
        return inline(tx, is_instance_of_any, args, {}) if any(map(is_special, value)) else hooks.DECLINED
    if not is_special(value) or not isinstance(kinds, UserDefinedClassVariable):
        return hooks.DECLINED
    kind = kind_of(args[0].realize())
    if kind is None:
        leave_to_python(trace, f"an instance check of {value.__name__}")
    if kind is value:
        return ConstantVariable.create(True)
    if package(check_of(value)) in PROTOCOLS:
        if has_writes(tx, args[0].realize()) and value not in kind.__mro__:
            leave_to_python(trace, f"a check of attributes that the call has set: {value.__name__}")
        return hooks.DECLINED
    if check_of(value) is not None:
        return inline(tx, ask_metaclass, [kinds, args[0]], {})
    return ConstantVariable.create(value in kind.__mro__)


@FEATURE.hook("super.method")
def check_inherited(
    method: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any
) -> Any:
    """Answer `super().__instancecheck__(value)` in the method of a metaclass."""
    from ..base.torch_names import UserDefinedClassVariable

    owner = self.objvar.realize() if name == "__instancecheck__" and self.objvar is not None else None
    if not isinstance(owner, UserDefinedClassVariable) or len(args) != 1 or kwargs:
        return hooks.DECLINED
    above = behind(type(owner.value).__mro__, self.typevar.as_python_constant())
    found = next((base for base in above if name in vars(base)), None)
    return plain_answer(found, owner.value, args[0])


@FEATURE.hook("builtin.method")
def check_by_type(method: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Answer `type.__instancecheck__(cls, value)`."""
    from ..base.torch_names import UserDefinedClassVariable

    if name != "__instancecheck__" or self.fn is not type or len(args) != 2 or kwargs:
        return hooks.DECLINED
    owner = args[0].realize()
    return plain_answer(type, owner.value, args[1]) if isinstance(owner, UserDefinedClassVariable) else hooks.DECLINED


def plain_answer(metaclass: Any, owner: type, value: Any) -> Any:
    """The variable of the answer of `type` or `ABCMeta`; DECLINED for other metaclasses."""
    from ..base.torch_names import ConstantVariable

    kind = kind_of(value.realize())
    if kind is None or metaclass not in (type, abc.ABCMeta):
        return hooks.DECLINED
    registered = metaclass is abc.ABCMeta and abc.ABCMeta.__subclasscheck__(owner, kind)  # type: ignore[arg-type]
    return ConstantVariable.create(owner in kind.__mro__ or registered)


def ask_metaclass(kind: Any, value: Any) -> bool:
    """The answer of a metaclass, as `isinstance` gives it."""
    metaclass: Any = type(kind)
    return bool(metaclass.__instancecheck__(kind, value))


def is_instance_of_any(value: Any, kinds: Any) -> bool:
    """`isinstance` with each class in turn."""
    for kind in kinds:
        if isinstance(value, kind):
            return True
    return False


def is_special(kind: Any) -> bool:
    """Whether a metaclass answers for a class, or for a class of a tuple."""
    if isinstance(kind, tuple):
        return any(map(is_special, kind))
    if not isinstance(kind, type) or type(kind) is type:
        return False
    asked = inspect.getattr_static(type(kind), "__subclasscheck__")
    return (check_of(kind) or asked) is not type.__subclasscheck__ and not (
        package(check_of(kind)) in KNOWN or (check_of(kind) is None and package(asked) in KNOWN)
    )


def check_of(kind: type) -> Optional[types.FunctionType]:
    """The `__instancecheck__` of a metaclass in Python code."""
    method = inspect.getattr_static(type(kind), "__instancecheck__")
    return method if isinstance(method, types.FunctionType) else None


def has_writes(tx: Any, variable: Any) -> bool:
    """Whether the call has set attributes of an object."""
    return bool(tx.output.side_effects.store_attr_mutations.get(variable))
