"""Exceptions made by the call and shown by a deferred effect.

    except ValueError as error:
        print("skipped:", error)     # the flush prints a second exception with the same type and arguments

The program's exception ends with the call, so the deferred effect gets a new exception of the same type with the same
arguments, made without the `__init__` of the program's class. Exceptions constructed by the program qualify, and
exceptions raised by Dynamo in the place of C code if their text is Python's (`raised_exceptions`).
"""

from __future__ import annotations

import types
from typing import Any

from ..analysis.reachability import names_and_options
from ..base import folders, hooks, trace_state
from ..base.call_stack import is_ours
from ..capture import raised_exceptions

FEATURE: hooks.Feature[dict[int, Any]] = hooks.Feature(
    __name__, hooks.GAIN, "exceptions that a call makes and an effect shows", state=dict
)

# Classes of Python's library whose objects show nothing but their arguments.
PLAIN = (ArithmeticError, AssertionError, LookupError, OSError, RuntimeError, TypeError, ValueError, Warning)
PLAIN_ALONE = (Exception, AttributeError, BufferError, EOFError, MemoryError, NameError, StopIteration)
FIELDS = (OSError, UnicodeError)  # their `__init__` takes the arguments apart
TEXTS = ("__new__", "__str__", "__repr__", "__format__")
OBSERVED = "Observed exception"  # Dynamo's title for an exception that the program raises and does not handle
BETWEEN = ("CACHE", "PRECALL", "NOP", "EXTENDED_ARG")
# Names in a sink that read more of an exception than its type and arguments.
BEHIND_TEXTS = {"exc_info", "extra", "stack_info", "exception", "exc", "__traceback__", "__cause__", "__context__"}


def shows_texts(code: types.CodeType) -> bool:
    """Whether a sink reads only the text and the arguments of an exception."""
    inner = any(type(part) is types.CodeType for part in code.co_consts)
    return names_and_options(code).isdisjoint(BEHIND_TEXTS) and not inner


def is_plain(kind: Any, count: int) -> bool:
    """Whether a class is an exception class whose objects show only their arguments; `count` of them are given."""
    if not isinstance(kind, type) or not issubclass(kind, Exception):
        return False
    own = next(base for base in kind.__mro__ if base.__module__ == "builtins")
    if not issubclass(own, PLAIN) and own not in PLAIN_ALONE:
        return False
    if issubclass(own, OSError) and count > 1:  # the text shows fields
        return False
    names = ("__init__", *TEXTS) if issubclass(own, FIELDS) else TEXTS
    return all(getattr(kind, name) is getattr(own, name) for name in names)


def exception_of(parts: list[Any]) -> BaseException:
    """An exception with the type and the arguments of the shown exception: `[type, argument, ..]`.

    An `__init__` of the program may take other arguments, and would run again.
    """
    kind, arguments = parts[0], parts[1:]
    has_own = not isinstance(kind.__init__, types.WrapperDescriptorType)
    error: BaseException = kind.__new__(kind, *arguments) if has_own else kind(*arguments)
    return error


def raise_warning(message: Any, category: Any = None, stacklevel: int = 1, source: Any = None) -> None:
    """`warnings.warn` inside a block that turns all warnings into exceptions."""
    if isinstance(message, Warning):
        raise message
    raise (category or UserWarning)(message)


def is_made(trace: trace_state.Trace, variable: Any) -> bool:
    """Whether Dynamo's variable is a plain exception of this call with the text that Python gives."""
    if raised_exceptions.has_pythons_text(trace, variable):
        return is_plain(variable.python_type(), 1)
    return id(variable) in FEATURE.of(trace)


def is_torchs(code: types.CodeType) -> bool:
    """Whether code belongs to torch, such as Dynamo's code for the call of `__init__`."""
    return code.co_filename.startswith(folders.TORCH)


def is_raised(tx: Any) -> bool:
    """Whether the object under construction is raised at once, and no frame handles the exception."""
    frame = tx
    while frame.parent is not None and (frame.f_code.co_name == "__init__" or is_torchs(frame.f_code)):
        frame = frame.parent
    rest = frame.instructions[frame.instruction_pointer :]
    next_opcode = next((item.opname for item in rest if item.opname not in BETWEEN), "")
    while frame is not None and frame.current_instruction.exn_tab_entry is None:
        frame = frame.parent
    return next_opcode == "RAISE_VARARGS" and frame is None


@FEATURE.hook("translator.call")
def begin_exception(call: Any, trace: trace_state.Trace, self: Any, function: Any, args: Any, kwargs: Any) -> Any:
    """End the trace at `super().__init__(text)` in an exception class of the program, if the call raises the exception.

    Dynamo breaks the graph at this call.
    """
    if vars(function).get("name") != "__init__":
        return hooks.DECLINED
    from ..base.torch_names import GetAttrVariable, SuperVariable, Unsupported

    if type(function) is GetAttrVariable and isinstance(function.obj, SuperVariable):
        kind = getattr(function.obj.objvar, "value_type", None)
        if isinstance(kind, type) and issubclass(kind, Exception) and is_raised(self):
            raise Unsupported(f"{OBSERVED}: the program raises {kind.__name__}")
    return hooks.DECLINED


@FEATURE.note("translator.call")
def note_exception(trace: trace_state.Trace, result: Any, self: Any, function: Any, args: Any, kwargs: Any) -> None:
    """Note an exception that the program constructs."""
    if result is hooks.RAISED:
        return
    kind, code = getattr(function, "value", getattr(function, "fn", None)), self.f_code
    if is_plain(kind, len(args)) and (code is raise_warning.__code__ or not is_ours(code)):
        FEATURE.of(trace)[id(self.stack[-1])] = self.stack[-1]
