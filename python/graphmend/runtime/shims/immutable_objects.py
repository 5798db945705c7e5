"""Immutable objects of Python's library that a call makes from constants.

    day = datetime.date.fromisoformat("2024-03-02")            # a class in C, which Dynamo does not trace
    share = Fraction("0.3").limit_denominator(16)
    words = [match.group() for match in PATTERN.finditer(text)]

The objects depend on the arguments alone, and nobody can change them. The trace makes the objects and asks them:
numbers and texts are constants, and further objects of the same classes are made by the trace, too. An object that
leaves the call is made anew in each call.
"""

from __future__ import annotations

import datetime
import fractions
import functools
import operator
import pickle
import re
import uuid
from typing import Any, Callable, Optional

from ..analysis.impure_functions import is_plain
from ..base import hooks, trace_state
from ..base.dynamo_values import as_constant
from ..external import external_calls
from .constant_folding import called

FEATURE = hooks.Feature(__name__, hooks.GAIN, "dates, fractions and matches that a call makes")

# `Decimal` is not among them: its operators follow the context of the thread.
CLASSES = (datetime.date, datetime.datetime, datetime.time, datetime.timedelta, fractions.Fraction, uuid.UUID)
MAKERS = frozenset("fromisoformat fromordinal fromisocalendar combine strptime from_float".split())  # of classes
FUNCTIONS = (uuid.uuid3, uuid.uuid5)
MATCHES = type(re.finditer("", ""))  # an iterator
# Methods that ask for the clock or for the time zone of the machine.
READING = frozenset(
    "today now utcnow fromtimestamp utcfromtimestamp timestamp astimezone timetuple ctime strftime".split()
)
OPERATORS = frozenset(
    [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow]
    + [operator.neg, operator.pos, operator.abs, operator.iadd, operator.isub, operator.imul, operator.itruediv]
    + [int, float, str, repr, abs, round, divmod, bool]
)


@FEATURE.hook("class.call")
def make_object(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Make an object by a call of its class."""
    result = made(tx, self.value, args, kwargs) if self.value in CLASSES else None
    return hooks.DECLINED if result is None else guarded(self, result)


@FEATURE.hook("class.method", needed=False)
def make_by_method(call: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Make an object by a method of its class."""
    if self.value not in CLASSES or name not in MAKERS:
        return hooks.DECLINED
    result = made(tx, getattr(self.value, name), args, kwargs)
    return hooks.DECLINED if result is None else guarded(self, result)


@FEATURE.hook("function.call")
def make_by_function(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Make an object by a function of Python's library."""
    function: Any = getattr(self, "fn", None)
    is_maker = any(function is maker for maker in FUNCTIONS)
    result = made(tx, function, args, kwargs) if is_maker else None
    return hooks.DECLINED if result is None else guarded(self, result)


@FEATURE.hook("skipped.call")
def make_by_skipped(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Make an object by a method of its class in C, as torch 2.9 sees such methods."""
    owner = getattr(self.value, "__self__", None)
    if not isinstance(owner, type) or owner not in CLASSES or self.value.__name__ not in MAKERS:
        return hooks.DECLINED
    result = made(tx, self.value, args, kwargs)
    return hooks.DECLINED if result is None else result


@FEATURE.hook("builtin.call", of=OPERATORS)
def compute(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Compute with an operator or a builtin function."""
    if not any(type(item) is immutable_class() for item in args):
        return hooks.DECLINED
    result = made(tx, self.fn, args, kwargs)
    return hooks.DECLINED if result is None else result


@FEATURE.hook("pattern.method", needed=False)
def find_all(call: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """The matches of a pattern in a constant text, and what a match tells in containers."""
    if not isinstance(self.value, (re.Pattern, re.Match)):
        return hooks.DECLINED
    return found(tx, getattr(self.value, name, None), args, kwargs)


@FEATURE.hook("skipped.call")
def find_by_function(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """The matches of a pattern that the call gives as a text."""
    return found(tx, re.finditer, args, kwargs) if self.value is re.finditer else hooks.DECLINED


def found(tx: Any, search: Any, args: Any, kwargs: Any) -> Any:
    """Dynamo's variable for matches, or for a new container; DECLINED for other results, which Dynamo knows."""
    from ..base.torch_names import ConstantLikeVariable, ListIteratorVariable, SourcelessBuilder, ValueMutationNew

    try:
        values = [as_constant(item) for item in args]
        options = {key: as_constant(item) for key, item in kwargs.items()}
        if any(map(callable, values)):
            return hooks.DECLINED
        result = search(*values, **options)
    except Exception:  # an argument is no constant, or the search raises
        return hooks.DECLINED
    if type(result) is MATCHES:
        matches = [ConstantLikeVariable(match) for match in result]
        return ListIteratorVariable(matches, mutation_type=ValueMutationNew())
    return SourcelessBuilder.create(tx, result) if type(result) in (list, dict) and is_plain(result) else hooks.DECLINED


@FEATURE.hook("variable.sourceless")
def build_object(build: Any, trace: trace_state.Trace, tx: Any, value: Any) -> Any:
    """The variable of such an object that Dynamo has computed."""
    return immutable_class()(value) if type(value) in CLASSES and is_fixed(value) else hooks.DECLINED


def guarded(variable: Any, result: Any) -> Any:
    """The result of a call, with a guard on the class or function that is called."""
    external_calls.guard(variable, getattr(variable, "fn", None) or variable.value)
    return result


def made(tx: Any, function: Callable[..., Any], args: Any, kwargs: Any) -> Optional[Any]:
    """Dynamo's variable for the result of a call with constants; None if there is no such result."""
    try:
        values = [value_of(item) for item in args]
        options = {name: value_of(item) for name, item in kwargs.items()}
        if not all(map(is_fixed, [*values, *options.values()])):
            return None
    except Exception:  # an argument is no constant
        return None
    return variable_of(tx, called(tx, function, values, options))


def variable_of(tx: Any, value: Any) -> Optional[Any]:
    """Dynamo's variable for a plain value or such an object; None for other values."""
    from ..base.torch_names import SourcelessBuilder

    if type(value) in CLASSES:
        return immutable_class()(value) if is_fixed(value) else None
    return SourcelessBuilder.create(tx, value) if is_plain(value) else None


def value_of(item: Any) -> Any:
    """The value of a constant, or of such an object from before the call, with a guard on it."""
    from ..base.torch_names import GuardBuilder, UserDefinedObjectVariable, install_guard

    item = item.realize()
    if isinstance(item, UserDefinedObjectVariable) and item.source is not None and type(item.value) in CLASSES:
        install_guard(item.source.make_guard(GuardBuilder.ID_MATCH))
        return item.value
    return as_constant(item)


def is_fixed(value: Any) -> bool:
    """Whether nobody can change a value; a time zone may be an object of the program."""
    if type(value) in CLASSES:
        return getattr(value, "tzinfo", None) in (None, datetime.timezone.utc)
    return value is datetime.timezone.utc or (is_plain(value) and type(value) not in (list, dict))


def remade(data: bytes) -> Any:
    """A new object like the one in a pickle."""
    return pickle.loads(data)


@functools.lru_cache(maxsize=None)
def immutable_class() -> Any:
    """Dynamo's class of variables for such objects; imported late, because Dynamo may not be loaded yet."""
    from ..base.torch_names import ConstantLikeVariable, LambdaVariable

    class Immutable(ConstantLikeVariable):  # type: ignore[misc]  # a class of Dynamo, unknown to mypy
        """The variable for an immutable object that the trace has made."""

        def python_type(self) -> type:
            return type(self.value)

        def call_method(self, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
            result = None if name in READING else made(tx, getattr(self.value, name), args, kwargs)
            return super().call_method(tx, name, args, kwargs) if result is None else result

        def var_getattr(self, tx: Any, name: str) -> Any:
            if name in READING or not hasattr(self.value, name):
                return super().var_getattr(tx, name)
            value = getattr(self.value, name)
            if callable(value):
                return LambdaVariable(lambda *args, **kwargs: self.call_method(tx, name, list(args), kwargs))
            part = variable_of(tx, value)
            return super().var_getattr(tx, name) if part is None else part

        def reconstruct(self, codegen: Any) -> None:
            codegen.add_push_null(lambda: codegen.load_import_from(__name__, "remade"))
            codegen.append_output(codegen.create_load_const(pickle.dumps(self.value)))
            codegen.call_function(1, False)

    return Immutable
