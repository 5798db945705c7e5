"""What a program asks of the stack of its own calls, as far as these are traced: it is known while they are.

`traceback.extract_stack`, `traceback.format_stack`, `inspect.currentframe` and `sys._getframe` look at frames that a
compiled call does not have. Dynamo stops at them; here they get what eager Python would show of the traced functions.
Whatever lies further out depends on who calls the compiled function, and is left alone.
"""

from __future__ import annotations

import inspect
import sys
import traceback
import types
from typing import Any, NamedTuple, Optional

from ..base import call_stack, hooks, trace_state
from ..base.folders import is_pythons_own

FEATURE = hooks.Feature(__name__, hooks.GAIN, "the stack that a program looks at")

DIRECT = ("UserFunctionVariable", "NestedUserFunctionVariable", "UserMethodVariable")
INDIRECT = ("forward", "__call__", "_call_impl", "_wrapped_call_impl")  # frames of torch may be in between
SUSPENDED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class Place(NamedTuple):
    """One frame as the program would see it."""

    code: types.CodeType
    line: int


class Code:
    """Stands for the code of a frame; has what programs ask for."""

    def __init__(self, name: str, qualified: str, file: str, line: int) -> None:
        self.co_name = name
        self.co_qualname = qualified
        self.co_filename = file
        self.co_firstlineno = line


class Frame:
    """Stands for a frame; has what programs ask for."""

    def __init__(self, places: tuple[Any, ...]) -> None:
        self.f_code = Code(*places[0][1:])
        self.f_lineno = places[0][0]
        if len(places) > 1:
            self.f_back = Frame(places[1:])


def frame_at(places: tuple[Any, ...]) -> Frame:
    """The frame that the program gets; Dynamo traces this, so that it may do with the frame whatever it can trace."""
    return Frame(places)


def places_of(tx: Any) -> list[Place]:
    """The frames from the one being traced outwards, as far as they are those of eager Python for certain."""
    found: list[Place] = []
    for translator in call_stack.translators(tx):
        code = translator.f_code
        if call_stack.is_ours(code) or is_pythons_own(code.co_filename) or code.co_flags & SUSPENDED:
            break
        if found and "torch" in code.co_filename.split("/") + code.co_filename.split("\\"):
            break
        found.append(Place(code, translator.lineno))
        called = type(getattr(translator, "funcvar", None)).__name__
        if code.co_name in INDIRECT or called not in DIRECT:
            break
    return found


def number(variable: Any) -> Optional[int]:
    """The number that an argument is; None for anything else."""
    variable = variable.realize()
    value = variable.as_python_constant() if variable.is_python_constant() else None
    return value if type(value) is int else None


def asked(function: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Dynamo's variable for what a call of a function gives that looks at the stack; None if it is not known."""
    from ..base.torch_names import (
        ListVariable,
        SourcelessBuilder,
        UserDefinedObjectVariable,
        UserFunctionVariable,
        ValueMutationNew,
    )

    if function is inspect.currentframe or function is sys._getframe:
        depth = number(args[0]) if args else 0
        if kwargs or len(args) > 1 or depth is None or depth < 0:
            return None
        places = places_of(tx)[depth:]
        facts = [(line, code.co_name, qualified(code), code.co_filename, code.co_firstlineno) for code, line in places]
        made = UserFunctionVariable(frame_at)
        return made.call_function(tx, [SourcelessBuilder.create(tx, tuple(facts))], {}) if places else None
    if args or kwargs.keys() != {"limit"}:
        return None
    limit, places = number(kwargs["limit"]), places_of(tx)
    if limit is None or not 0 < limit <= len(places):
        return None
    parts = [traceback.FrameSummary(code.co_filename, line, code.co_name) for code, line in places[:limit]]
    summary = traceback.StackSummary.from_list(parts[::-1])
    if function is traceback.format_stack:
        return SourcelessBuilder.create(tx, summary.format())
    found = ListVariable([UserDefinedObjectVariable(part) for part in summary], mutation_type=ValueMutationNew())
    found.python_type = lambda: traceback.StackSummary
    return found


def qualified(code: types.CodeType) -> str:
    """The name of code with that of what it is in, where Python knows it."""
    return str(getattr(code, "co_qualname", code.co_name))


@FEATURE.hook("function.call")
def call_of_traceback(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Functions of Python that show the stack."""
    known = (traceback.extract_stack, traceback.format_stack, inspect.currentframe)
    found = shown(getattr(self, "fn", None), known, trace, tx, args, kwargs)
    return call(self, tx, args, kwargs) if found is None else found


@FEATURE.hook("skipped.call")
def call_getframe(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """`sys._getframe`."""
    found = shown(self.value, (sys._getframe,), trace, tx, args, kwargs)
    return call(self, tx, args, kwargs) if found is None else found


def shown(function: Any, known: tuple[Any, ...], trace: trace_state.Trace, tx: Any, args: Any, kwargs: Any) -> Any:
    """The variable of what one of these functions gives; None for other functions, and where that is not known."""
    if not any(function is item for item in known) or trace.open:
        return None
    found = asked(function, tx, args, kwargs)
    if found is not None:
        trace.unmarked[call_stack.site_at(tx, "GM501")] = None
    return found
