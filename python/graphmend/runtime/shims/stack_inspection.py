"""The stack of the traced functions, read by the program itself.

    name = inspect.currentframe().f_code.co_name
    lines = traceback.format_stack(limit=2)

`traceback.extract_stack`, `traceback.format_stack`, `inspect.currentframe` and `sys._getframe` read Python frames, and
a compiled call has none. Dynamo breaks the graph. Here the trace answers with the frames of eager Python, as far as the
frames are traced; frames further out depend on the caller, and requests for them stay with Dynamo.
"""

from __future__ import annotations

import inspect
import sys
import traceback
import types
from typing import Any, NamedTuple, Optional

from ..base import call_stack, hooks, trace_state
from ..base.callable_code import is_suspended
from ..base.folders import is_pythons_own

FEATURE = hooks.Feature(__name__, hooks.GAIN, "the stack that a program looks at")

DIRECT = ("UserFunctionVariable", "NestedUserFunctionVariable", "UserMethodVariable")
INDIRECT = ("forward", "__call__", "_call_impl", "_wrapped_call_impl")  # frames of torch may stand in between


class Place(NamedTuple):
    """One frame, as eager Python would show the frame."""

    code: types.CodeType
    line: int


class Code:
    """The code object of a frame, with the attributes in common use."""

    def __init__(self, name: str, qualified: str, file: str, line: int) -> None:
        self.co_name = name
        self.co_qualname = qualified
        self.co_filename = file
        self.co_firstlineno = line


class Frame:
    """A frame, with the attributes in common use."""

    def __init__(self, places: tuple[Any, ...]) -> None:
        self.f_code = Code(*places[0][1:])
        self.f_lineno = places[0][0]
        if len(places) > 1:
            self.f_back = Frame(places[1:])


def frame_at(places: tuple[Any, ...]) -> Frame:
    """The frame for the program. Dynamo traces this function, so the program may use the frame as it likes."""
    return Frame(places)


def places_of(tx: Any) -> list[Place]:
    """The frames from the traced one outwards, as far as they are certainly the frames of eager Python."""
    places: list[Place] = []
    for translator in call_stack.translators(tx):
        code = translator.f_code
        if call_stack.is_ours(code) or is_pythons_own(code.co_filename) or is_suspended(code):
            break
        if places and "torch" in code.co_filename.split("/") + code.co_filename.split("\\"):
            break
        places.append(Place(code, translator.lineno))
        kind = type(getattr(translator, "funcvar", None)).__name__
        if code.co_name in INDIRECT or kind not in DIRECT:
            break
    return places


def number(variable: Any) -> Optional[int]:
    """The integer of an argument; None for other values."""
    variable = variable.realize()
    value = variable.as_python_constant() if variable.is_python_constant() else None
    return value if type(value) is int else None


def stack_result(function: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Dynamo's variable for the result of a stack function; None if the trace does not know the result."""
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
        function_variable = UserFunctionVariable(frame_at)
        return function_variable.call_function(tx, [SourcelessBuilder.create(tx, tuple(facts))], {}) if places else None
    if args or kwargs.keys() != {"limit"}:
        return None
    limit, places = number(kwargs["limit"]), places_of(tx)
    if limit is None or not 0 < limit <= len(places):
        return None
    parts = [traceback.FrameSummary(code.co_filename, line, code.co_name) for code, line in places[:limit]]
    summary = traceback.StackSummary.from_list(parts[::-1])
    if function is traceback.format_stack:
        return SourcelessBuilder.create(tx, summary.format())
    list_variable = ListVariable(
        [UserDefinedObjectVariable(part) for part in summary], mutation_type=ValueMutationNew()
    )
    list_variable.python_type = lambda: traceback.StackSummary
    return list_variable


def qualified(code: types.CodeType) -> str:
    """The qualified name of code, where Python has one."""
    return str(getattr(code, "co_qualname", code.co_name))


@FEATURE.hook("function.call")
def call_of_traceback(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Answer functions of Python that read the stack."""
    functions = (traceback.extract_stack, traceback.format_stack, inspect.currentframe)
    result = known_result(getattr(self, "fn", None), functions, trace, tx, args, kwargs)
    return hooks.DECLINED if result is None else result


@FEATURE.hook("skipped.call")
def call_getframe(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Answer `sys._getframe`."""
    result = known_result(self.value, (sys._getframe,), trace, tx, args, kwargs)
    return hooks.DECLINED if result is None else result


def known_result(
    function: Any, functions: tuple[Any, ...], trace: trace_state.Trace, tx: Any, args: Any, kwargs: Any
) -> Any:
    """The variable for the result of one of these functions; None for other functions and unknown results."""
    if not any(function is item for item in functions) or trace.open:
        return None
    result = stack_result(function, tx, args, kwargs)
    if result is not None:
        trace.unmarked[call_stack.site_at(tx, "GM501")] = None
    return result
