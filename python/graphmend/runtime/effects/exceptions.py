"""Exceptions that a call raises and handles, shown by deferred effects: made again from their types and arguments.

Only those are known that the program makes itself. What Dynamo raises in the place of Python has other texts.
"""

from __future__ import annotations

import types
from typing import Any

from ..analysis.reachability import names_and_options
from ..base import folders, hooks, trace_state
from ..base.call_stack import is_ours

FEATURE = hooks.Feature(__name__, hooks.GAIN, "exceptions that a call makes and an effect shows", state=dict)

PLAIN = (ArithmeticError, AssertionError, LookupError, RuntimeError, TypeError, ValueError, Warning)
METHODS = ("__init__", "__new__", "__str__", "__repr__", "__format__")
OBSERVED = "Observed exception"  # how Dynamo calls an exception that the program raises and does not handle
BETWEEN = ("CACHE", "PRECALL", "NOP", "EXTENDED_ARG")
# What tells more of an exception than its type and arguments.
BEHIND_TEXTS = {"exc_info", "extra", "stack_info", "exception", "exc", "__traceback__", "__cause__", "__context__"}


def shows_texts(code: types.CodeType) -> bool:
    """Whether a sink asks an exception for nothing but its text and its arguments."""
    inner = any(type(part) is types.CodeType for part in code.co_consts)
    return names_and_options(code).isdisjoint(BEHIND_TEXTS) and not inner


def is_plain(kind: Any) -> bool:
    """Whether the objects of a class are exceptions that say no more than their arguments."""
    if not isinstance(kind, type) or not issubclass(kind, PLAIN):
        return False
    own = next(base for base in kind.__mro__ if base.__module__ == "builtins")
    return all(getattr(kind, name) is getattr(own, name) for name in METHODS)


def raise_warning(message: Any, category: Any = None, stacklevel: int = 1, source: Any = None) -> None:
    """`warnings.warn` where all warnings are exceptions."""
    if isinstance(message, Warning):
        raise message
    raise (category or UserWarning)(message)


def is_made(trace: trace_state.Trace, variable: Any) -> bool:
    """Whether a variable of Dynamo's is such an exception, made by the program in this call."""
    return id(variable) in FEATURE.of(trace)


def is_torchs(code: types.CodeType) -> bool:
    """Whether code is Dynamo's own, which calls `__init__`."""
    return code.co_filename.startswith(folders.TORCH)


def is_raised(tx: Any) -> bool:
    """Whether the object whose `__init__` is traced is raised as soon as it is made, and no frame handles that."""
    following = tx
    while following.parent is not None and (following.f_code.co_name == "__init__" or is_torchs(following.f_code)):
        following = following.parent
    rest = following.instructions[following.instruction_pointer :]
    behind = next((item.opname for item in rest if item.opname not in BETWEEN), "")
    while following is not None and following.current_instruction.exn_tab_entry is None:
        following = following.parent
    return behind == "RAISE_VARARGS" and following is None


@FEATURE.hook("translator.call")
def begin_exception(call: Any, trace: trace_state.Trace, self: Any, function: Any, args: Any, kwargs: Any) -> Any:
    """`super().__init__(text)` in an exception of the program's, at which Dynamo gives up; the call will raise it."""
    from ..base.torch_names import GetAttrVariable, SuperVariable, Unsupported

    if type(function) is GetAttrVariable and function.name == "__init__" and isinstance(function.obj, SuperVariable):
        kind = getattr(function.obj.objvar, "value_type", None)
        if isinstance(kind, type) and issubclass(kind, Exception) and is_raised(self):
            raise Unsupported(f"{OBSERVED}: the program raises {kind.__name__}")
    call(self, function, args, kwargs)


@FEATURE.hook("translator.call")
def note_exception(call: Any, trace: trace_state.Trace, self: Any, function: Any, args: Any, kwargs: Any) -> Any:
    """Note an exception that the program makes."""
    call(self, function, args, kwargs)
    kind, code = getattr(function, "value", getattr(function, "fn", None)), self.f_code
    if is_plain(kind) and (code is raise_warning.__code__ or not is_ours(code)):
        FEATURE.of(trace)[id(self.stack[-1])] = self.stack[-1]
