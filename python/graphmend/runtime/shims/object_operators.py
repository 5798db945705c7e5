"""Operators between objects of the program and tensors.

    class Diagonal:
        def __matmul__(self, right): ...
        def __rmul__(self, left): ...

    y = Diagonal(d) @ x          # Dynamo knows no `@` of objects
    z = x * Diagonal(d)          # and takes the object for an argument of the graph

The operator is traced as Python runs it: the method of the left operand, then the reflected method of the right one.
The reflected method comes first where the class of the right operand refines the class of the left one.
"""

from __future__ import annotations

import inspect
import operator
import types
from typing import Any, Callable, Optional

from ..base import hooks, torch_names, trace_state
from ..base.dynamo_values import inline, is_constant

FEATURE = hooks.Feature(__name__, hooks.GAIN, "operators of the program's objects")
NAMES = "add sub mul matmul truediv floordiv mod pow lshift rshift and or xor".split()
OPERATORS = {getattr(operator, f"__{name}__"): name for name in NAMES}
IN_PLACE = {getattr(operator, f"__i{name}__"): name for name in NAMES}
# Modules of classes that a method of a tensor may read as numbers, in derived classes too.
READABLE = ("builtins", "numpy")
METHODS = [f"__{prefix}{name}__" for name in NAMES for prefix in ("", "r", "i")]


@FEATURE.hook("builtin.call", of=(*OPERATORS, *IN_PLACE))
def call_operator(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Trace an operator with an object of the program as an operand."""
    if len(args) != 2 or kwargs:
        return hooks.DECLINED
    name = OPERATORS.get(self.fn) or IN_PLACE[self.fn]
    left, right = (arg.realize() for arg in args)
    if not any(map(is_object, (left, right))):
        return hooks.DECLINED
    if left.is_tensor() and may_be_read(right.python_type()):
        return hooks.DECLINED
    for operand, method, other in calls(name, left, right, self.fn in IN_PLACE):
        result = inline(tx, FUNCTIONS[method], [operand, other], {})
        if not is_constant(result, NotImplemented):
            return result
    return hooks.DECLINED


def calls(name: str, left: Any, right: Any, in_place: bool) -> list[tuple[Any, str, Any]]:
    """The methods that Python asks, in order: an operand, the method's name, the other operand."""
    forward = [(left, f"__{prefix}{name}__", right) for prefix in (("i", "") if in_place else ("",))]
    reflected = [(right, f"__r{name}__", left)]
    first, second = left.python_type(), right.python_type()
    refines = first is not second and issubclass(second, first)
    if refines and method_of(right, f"__r{name}__") is not method_of(left, f"__r{name}__"):
        order = reflected + forward
    else:
        order = forward + (reflected if first is not second else [])
    return [step for step in order if is_object(step[0]) and method_of(step[0], step[1]) is not None]


def may_be_read(kind: type) -> bool:
    """Whether a method of a tensor may take an object for a number, or hand over to the object."""
    return hasattr(kind, "__torch_function__") or any(
        base is not object and base.__module__ in READABLE for base in kind.__mro__
    )


def is_object(variable: Any) -> bool:
    """Whether a variable is an object of a class of the program."""
    return isinstance(variable, torch_names.UserDefinedObjectVariable)


def method_of(variable: Any, name: str) -> Optional[types.FunctionType]:
    """The method for an operator, where Python code defines it."""
    method = inspect.getattr_static(variable.python_type(), name, None)
    return method if isinstance(method, types.FunctionType) else None


def caller(name: str) -> Callable[[Any, Any], Any]:
    """A function that calls the method of a name."""

    def call_method(operand: Any, other: Any) -> Any:
        return getattr(operand, name)(other)

    return call_method


FUNCTIONS = {name: caller(name) for name in METHODS}
