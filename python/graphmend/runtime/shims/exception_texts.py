"""Texts of exceptions whose class makes the text itself.

    except KeyError as error:
        print(f"no such key: {error}")     # Dynamo shows the argument: key in place of 'key'

Dynamo takes the text of an exception from its arguments, as `BaseException` does. `KeyError`, `OSError` and
`UnicodeError` have texts of their own, and so have classes of programs. Python makes the text of the classes of its
library from constant arguments; the method of a program's class is traced.

Exceptions that Dynamo raises in the place of C code are left to Python where their text may be another
(`raised_exceptions`).
"""

from __future__ import annotations

import types
from typing import Any

from ..base import folders, hooks, trace_state
from ..capture import raised_exceptions
from ..capture.trace_time import leave_to_python

FEATURE = hooks.Feature(__name__, hooks.GUARD, "texts of exceptions", partial=True, rules=("GM302",))
UNKNOWN = "a text of {}, whose arguments are known behind the graph alone"


def leave_text(trace: trace_state.Trace, variable: Any) -> None:
    """Leave the text of an exception to Python if Dynamo has made the exception."""
    if raised_exceptions.has_other_text(trace, variable):
        leave_to_python(trace, f"the text of a {variable.python_type().__name__} that C code raises")


@FEATURE.hook("exception.getattr", needed=False)
def read_arguments(read: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Leave the arguments of an exception from Dynamo to Python."""
    if name == "args":
        leave_text(trace, self)
    return hooks.DECLINED


@FEATURE.hook("exception.reconstruct")
def keep_exception(make: Any, trace: trace_state.Trace, self: Any, codegen: Any) -> Any:
    """Leave an exception from Dynamo to Python where the exception outlives the graph."""
    leave_text(trace, self)
    return hooks.DECLINED


@FEATURE.hook("builtin.call", of=(str, repr))
def text_of_exception(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Trace `str` of an exception whose class has a text of its own."""
    if len(args) == 1 and not kwargs:
        leave_text(trace, args[0].realize())
        if self.fn is str and has_own_text(args[0].realize()):
            return own_text(tx, args[0].realize())
    return hooks.DECLINED


@FEATURE.hook("text.format_value")
def format_exception(show: Any, trace: trace_state.Trace, self: Any, specification: Any, flags: int) -> None:
    """Trace such an exception in an f-string without a conversion, where the text of an exception is its `str`.

    A text of constant arguments is a constant as well, such as the key of a cache.
    """
    leave_text(trace, self.stack[-1].realize())
    if not flags & 3 and (has_own_text(self.stack[-1].realize()) or has_constant_text(self.stack[-1].realize())):
        self.push(own_text(self, self.pop().realize()))
    show(self, specification, flags)


def has_own_text(variable: Any) -> bool:
    """Whether Dynamo's variable is an exception whose class does not take its text from `BaseException`."""
    from ..base.torch_names import ExceptionVariable, UserDefinedExceptionObjectVariable

    if not isinstance(variable, (ExceptionVariable, UserDefinedExceptionObjectVariable)):
        return False
    method = variable.python_type().__str__
    if method is OSError.__str__ and len(variable.args) < 2:
        return False  # the text of the argument
    return method is not BaseException.__str__


def has_constant_text(variable: Any) -> bool:
    """Whether Dynamo's variable is an exception of Python's library with constant arguments."""
    from ..base.torch_names import ExceptionVariable

    is_plain = type(variable) is ExceptionVariable and not has_own_text(variable)
    return is_plain and all(argument.realize().is_python_constant() for argument in variable.args)


def own_text(tx: Any, variable: Any) -> Any:
    """The variable of an exception's text."""
    from ..base.torch_names import VariableTracker

    kind = variable.python_type()
    method = kind.__str__
    if isinstance(method, types.FunctionType) and not folders.is_pythons_own(method.__code__.co_filename):
        return VariableTracker.build(tx, kind.__str__).call_function(tx, [variable], {})
    arguments = [argument.realize() for argument in variable.args]
    if not all(argument.is_python_constant() for argument in arguments):
        raise trace_state.SiteRefused(UNKNOWN.format(kind.__name__))
    owner = next(base for base in kind.__mro__ if "__str__" in vars(base))
    made = owner(*(argument.as_python_constant() for argument in arguments))
    return VariableTracker.build(tx, str(made))
