"""`torch.compiler.is_compiling()`, asked by the program: what it answers where only eager Python's answer works.

A library may leave out, while it is compiled, what it needs later on (a mask that it makes in eager Python alone). Such
a call raises an exception while it is traced and none in eager Python; `torch.compile` runs it there, where the answer
is false. So it is traced again: functions that an exception has left get that answer, at the places where they have
asked. Functions that asked and returned keep the compiler's, which is why they ask.
"""

from __future__ import annotations

from typing import Any

import torch

from ..base import folders, hooks, trace_state

QUESTIONS = (torch.compiler.is_compiling, torch.compiler.is_dynamo_compiling)
OLD_NAMES = ("torch._utils", "torch._dynamo.external_utils")


class Questions:
    """The questions of one trace: where they were asked, and which functions an exception has left.

    A question belongs to the function that asks, and to its caller if that function gives the answer back.
    """

    def __init__(self, eager: frozenset[Any] = frozenset()) -> None:
        self.eager = eager  # places where the answer is that of eager Python
        self.asked: list[tuple[Any, Any]] = []  # translators of functions, and places in them
        self.left: set[Any] = set()
        self.asking: set[Any] = set()

    def places(self) -> frozenset[Any]:
        """The places where functions have asked that an exception has left."""
        return frozenset(place for function, place in self.asked if function in self.left or function.parent is None)

    def ask(self, function: Any, place: Any) -> None:
        """Note a question."""
        self.asked.append((function, place))
        self.asking.add(function)

    def returned(self, function: Any, result: Any) -> None:
        """Note what a function gives."""
        if function in self.asking and result.is_python_constant() and type(result.as_python_constant()) is bool:
            self.asked.append((function.parent, place_of(function.parent)))


FEATURE = hooks.Feature(__name__, hooks.GAIN, "what `is_compiling()` answers", state=Questions)


def place_of(function: Any) -> Any:
    """Where a function is while it is traced: its code and line."""
    return function.f_code, function.lineno


@FEATURE.hook("torch_function.call")
def answer(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Note the question; answer it as in eager Python where that is told."""
    from ..base.torch_names import ConstantVariable

    if is_question(self.value) and not tx.f_code.co_filename.startswith((folders.TORCH, folders.RUNTIME)):
        questions = FEATURE.of(trace)
        questions.ask(tx, place_of(tx))
        if questions.eager and not questions.eager.isdisjoint([place_of(tx), tx.parent and place_of(tx.parent)]):
            return ConstantVariable.create(False)
    return call(self, tx, args, kwargs)


@FEATURE.hook("inlined.run")
def note_inlined(inline: Any, trace: trace_state.Trace, self: Any) -> Any:
    """Note the frames that the question was asked in."""
    try:
        result = inline(self)
    except Exception:
        FEATURE.of(trace).left.add(self)
        raise
    FEATURE.of(trace).returned(self, result)
    return result


def is_question(function: Any) -> bool:
    """Whether a function of torch tells if Dynamo traces."""
    if any(function is question for question in QUESTIONS):
        return True
    return getattr(function, "__name__", "") == "is_compiling" and getattr(function, "__module__", "") in OLD_NAMES
