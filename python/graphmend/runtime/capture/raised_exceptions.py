"""Exceptions that Dynamo raises where Python's C code would: whether the text is Python's.

    try:
        return table[key]
    except KeyError as error:
        print("unknown:", error)       # Dynamo has raised the exception, with the arguments that Python gives

The text of such an exception is Python's where Dynamo has run C code on constants of the program, has caught the
exception, and raises a copy (`int("x")`, `1 / 0`). Most other texts are written in Dynamo and often are not Python's,
as in `int([])`: a program that asks for such a text is left to Python.
"""

from __future__ import annotations

import dataclasses
import dis
import sys
import types
from typing import Any, Optional

from ..base import folders, hooks, trace_state
from ..base.call_stack import innermost


@dataclasses.dataclass
class Raised:
    """The exceptions of one trace raised by Dynamo: those with Python's text, and the others."""

    right: list[Any] = dataclasses.field(default_factory=list)
    others: list[Any] = dataclasses.field(default_factory=list)


FEATURE = hooks.Feature(
    __name__, hooks.GUARD, "exceptions that C code raises", partial=True, state=Raised, rules=("GM302",)
)
RAISES = "raise_observed_exception"  # the function of Dynamo
CONTAINERS = ("list", "tuple", "deque")  # Dynamo keeps their items in a list
OF_DYNAMO = ("Variable", "Tracker", "Sym", "Fake", "Tensor")  # in the names of Dynamo's classes


@FEATURE.hook("builtin.call")
def note_raised(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Note an exception that Dynamo makes."""
    if not isinstance(self.fn, type) or not issubclass(self.fn, Exception):
        return hooks.DECLINED
    frame = hooks.calling_frame()
    while is_of_runtime(frame):  # other hooks of the call
        frame = frame.f_back
    if frame is None or frame.f_code.co_name != RAISES or is_of_runtime(frame.f_back):
        return hooks.DECLINED
    error, raised = call(self, tx, args, kwargs), FEATURE.of(trace)
    (raised.right if is_right(self.fn, args, frame.f_back) else raised.others).append(error)
    return error


def is_of_runtime(frame: Any) -> bool:
    """Whether a frame runs a hook; an exception that a hook has Dynamo raise has Python's text."""
    return frame is not None and frame.f_code.co_filename.startswith(folders.RUNTIME)


def is_right(kind: type, args: Any, frame: types.FrameType) -> bool:
    """Whether Dynamo gives an exception the arguments of Python; `frame` raises the exception."""
    if issubclass(kind, StopIteration) or (issubclass(kind, KeyError) and bool(args)):
        return True
    caught = sys.exc_info()[1]
    if caught is None or type(caught) is not kind or not is_from_c(caught, (frame, frame.f_back)):
        return False
    if any(isinstance(argument, str) for argument in args):  # torch before 2.10 passes texts of its own
        return False
    given = [argument.realize() for argument in args]
    if not all(argument.is_python_constant() for argument in given):
        return False
    constants = tuple(argument.as_python_constant() for argument in given)
    text = str(caught)
    return constants == caught.args and names_container(text, frame) and not any(part in text for part in OF_DYNAMO)


def is_from_c(caught: BaseException, handlers: tuple[Optional[types.FrameType], ...]) -> bool:
    """Whether one of these frames handles an exception that C code has raised."""
    outer, step = caught.__traceback__, innermost(caught)
    if outer is None or step is None or outer.tb_frame not in handlers:
        return False
    code = step.tb_frame.f_code.co_code
    return dis.opname[code[step.tb_lasti]] not in ("RAISE_VARARGS", "RERAISE")


def names_container(text: str, frame: Optional[types.FrameType]) -> bool:
    """Whether a text names no other container than the program's."""
    from ..base.torch_names import VariableTracker

    if not text.startswith(CONTAINERS):
        return True
    while frame is not None and not isinstance(frame.f_locals.get("self"), VariableTracker):
        frame = frame.f_back
    return frame is not None and text.startswith(frame.f_locals["self"].python_type().__name__ + " ")


def has_pythons_text(trace: trace_state.Trace, variable: Any) -> bool:
    """Whether Dynamo has raised an exception with the text that Python gives."""
    return any(variable is error for error in FEATURE.of(trace).right)


def has_other_text(trace: trace_state.Trace, variable: Any) -> bool:
    """Whether Dynamo has raised an exception whose text may not be Python's."""
    return any(variable is error for error in FEATURE.of(trace).others)
