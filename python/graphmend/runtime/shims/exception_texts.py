"""Texts of exceptions whose class makes the text itself.

    except KeyError as error:
        print(f"no such key: {error}")     # Dynamo shows the argument: key in place of 'key'

Dynamo takes the text of an exception from its arguments, as `BaseException` does. `KeyError`, `OSError` and
`UnicodeError` have texts of their own, and so have classes of programs. Python makes the text of its own classes from
constant arguments; the method of a program's class is traced.
"""

from __future__ import annotations

import types
from typing import Any

from ..base import hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GUARD, "texts of exceptions", partial=True, rules=("GM302",))
UNKNOWN = "a text of {}, whose arguments are known behind the graph alone"


@FEATURE.hook("builtin.call")
def text_of_exception(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Trace `str` of an exception whose class has a text of its own."""
    if self.fn is str and len(args) == 1 and not kwargs and has_own_text(args[0].realize()):
        return own_text(tx, args[0].realize())
    return hooks.DECLINED


@FEATURE.hook("text.format_value")
def format_exception(show: Any, trace: trace_state.Trace, self: Any, specification: Any, flags: int) -> None:
    """Trace such an exception in an f-string without a conversion, where the text of an exception is its `str`."""
    if not flags & 3 and has_own_text(self.stack[-1].realize()):
        self.push(own_text(self, self.pop().realize()))
    show(self, specification, flags)


def has_own_text(variable: Any) -> bool:
    """Whether Dynamo's variable is an exception whose class does not take its text from `BaseException`."""
    from ..base.torch_names import ExceptionVariable, UserDefinedExceptionObjectVariable

    is_exception = isinstance(variable, (ExceptionVariable, UserDefinedExceptionObjectVariable))
    return is_exception and variable.python_type().__str__ is not BaseException.__str__


def own_text(tx: Any, variable: Any) -> Any:
    """The variable of an exception's text."""
    from ..base.torch_names import VariableTracker

    kind = variable.python_type()
    if isinstance(kind.__str__, types.FunctionType):
        return VariableTracker.build(tx, kind.__str__).call_function(tx, [variable], {})
    arguments = [argument.realize() for argument in variable.args]
    if not all(argument.is_python_constant() for argument in arguments):
        raise trace_state.SiteRefused(UNKNOWN.format(kind.__name__))
    owner = next(base for base in kind.__mro__ if "__str__" in vars(base))
    made = owner(*(argument.as_python_constant() for argument in arguments))
    return VariableTracker.build(tx, str(made))
