"""Classes derived from `functools.partial`.

    class Wrapped(functools.partial):
        def __get__(self, instance, owner):
            return functools.partial(self.func, instance)

    step = Wrapped(functools.partial(run, context), x)   # Dynamo does not know how to call the class

The object gets Dynamo's variable of a partial, with the class: calls are calls of a partial, and the class makes the
object anew where the object leaves the call. `functools.partial` takes a partial among the arguments apart, so
`step.func` is `run`. Dynamo takes an object from before the call for a plain partial, and the object gets the same
variable. Classes with a construction, calls or look-ups of their own are left to Python.
"""

from __future__ import annotations

import functools
import types
from typing import Any

from ..base import hooks, trace_state
from ..capture.trace_time import leave_to_python

FEATURE = hooks.Feature(__name__, hooks.GAIN, "classes derived from functools.partial", partial=True)
# Methods that decide how an object is made, called or asked for an attribute.
USED = ("__call__", "__getattr__", "__getattribute__")
DECIDING = (*USED, "__new__", "__init__", "__setattr__", "__reduce__", "__eq__")


@functools.cache
def derived_variable() -> Any:
    """The class of Dynamo's variables for partials of a class; made late because Dynamo is loaded late."""
    from ..base.torch_names import FunctoolsPartialVariable, UserMethodVariable, create_call_function

    class DerivedPartialVariable(FunctoolsPartialVariable):  # type: ignore[misc]  # a class of Dynamo, unknown to mypy
        """A partial of a class of the program, made in the call."""

        def __init__(self, made_by: Any, func: Any, args: Any, keywords: Any, **options: Any) -> None:
            super().__init__(func, args, keywords, **options)
            self.made_by = made_by  # the variable of the class

        def python_type(self) -> type:
            kind: type = self.made_by.value
            return kind

        def reconstruct(self, codegen: Any) -> None:
            made_by = self.made_by
            codegen.add_push_null(lambda: codegen(made_by))
            codegen(self.func)
            codegen.foreach([*self.args, *self.keywords.values()])
            count, keys = len(self.args) + len(self.keywords) + 1, tuple(self.keywords)
            plain = create_call_function(count, False)
            codegen.extend_output(codegen.create_call_function_kw(count, keys, False) if keys else plain)

        def as_python_constant(self) -> Any:
            raise NotImplementedError  # an object is no constant: the program may ask whether two are the same

        def var_getattr(self, tx: Any, name: str) -> Any:
            found = found_in_class(self.made_by.value, name)
            if isinstance(found, types.FunctionType):
                return UserMethodVariable(found, self)
            if found is not None:
                trace = trace_state.local.trace
                assert trace is not None
                leave_to_python(trace, f"`{name}` of a class derived from functools.partial")
            return super().var_getattr(tx, name)

        def call_obj_hasattr(self, tx: Any, name: str) -> Any:
            from ..base.torch_names import ConstantVariable

            return ConstantVariable.create(hasattr(self.made_by.value, name))

    return DerivedPartialVariable


@FEATURE.hook("class.call")
def make_partial(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Make a partial of a class of the program."""
    from ..base.torch_names import FunctoolsPartialVariable

    if not args or not is_derived(self.value) or has_own(self.value, DECIDING):
        return hooks.DECLINED
    func, args = args[0].realize(), list(args[1:])
    if isinstance(func, FunctoolsPartialVariable):
        if func.source is not None:  # it may have attributes, and is not taken apart then
            return hooks.DECLINED
        args, kwargs, func = [*func.args, *args], {**func.keywords, **kwargs}, func.func
    return derived_variable()(self, func, args, kwargs)


@FEATURE.hook("variable.build")
def take_partial(build: Any, trace: trace_state.Trace, self: Any, value: Any) -> Any:
    """Take a partial from before the call for an object of its class."""
    kind = type(value)
    if not is_derived(kind):
        return hooks.DECLINED
    from ..base.torch_names import FunctoolsPartialVariable, TypeSource, VariableTracker

    if has_own(kind, USED):
        leave_to_python(trace, "an object of a class derived from functools.partial that answers calls itself")
    variable = build(self, value)
    if type(variable) is not FunctoolsPartialVariable or found_in_class(kind, "func") is not None or vars(value):
        return variable
    made_by = VariableTracker.build(self.tx, kind, source=TypeSource(self.source))
    return derived_variable()(made_by, variable.func, variable.args, variable.keywords, source=self.source)


def is_derived(kind: Any) -> bool:
    """Whether an object is a class derived from `functools.partial`."""
    return isinstance(kind, type) and issubclass(kind, functools.partial) and kind is not functools.partial


def has_own(kind: type, names: tuple[str, ...]) -> bool:
    """Whether such a class has a method with one of these names, or a metaclass, which may decide as well."""
    return type(kind) is not type or any(found_in_class(kind, name) is not None for name in names)


def found_in_class(kind: type, name: str) -> Any:
    """The member of the classes in front of `functools.partial` with a name; None without a member."""
    for base in kind.__mro__[: kind.__mro__.index(functools.partial)]:
        if name in vars(base):
            return vars(base)[name]
    return None
