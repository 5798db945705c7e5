"""`torch.compiler.is_compiling()`, answered as in eager Python where the compiled answer leads to an exception.

    if not torch.compiler.is_compiling():
        mask = make_mask(x)           # left out while compiling
    return x + mask                   # raises in the trace, and not in eager Python

A trace that ends in such an exception is repeated. In the second trace, questions asked by functions that the exception
has left get the answer False. Functions that asked and returned keep the compiled answer.
"""

from __future__ import annotations

from typing import Any

import torch

from ..base import folders, hooks, trace_state

QUESTIONS = (torch.compiler.is_compiling, torch.compiler.is_dynamo_compiling)
OLD_NAMES = ("torch._utils", "torch._dynamo.external_utils")


class Questions:
    """The questions of one trace, with their places, and the functions left by an exception.

    A question belongs to the function that asks, and also to its caller if the function returns the answer.
    """

    def __init__(self, eager: frozenset[Any] = frozenset()) -> None:
        self.eager = eager  # places where the answer is that of eager Python
        self.asked: list[tuple[Any, Any]] = []  # translators of functions, and places of questions
        self.left: set[Any] = set()
        self.asking: set[Any] = set()

    def places(self) -> frozenset[Any]:
        """The places of questions asked by functions that an exception has left."""
        return frozenset(place for function, place in self.asked if function in self.left or function.parent is None)

    def ask(self, function: Any, place: Any) -> None:
        """Note a question."""
        self.asked.append((function, place))
        self.asking.add(function)

    def returned(self, function: Any, result: Any) -> None:
        """Note the result of a function; a truth value from a function with a question counts as a question of its
        caller.
        """
        if function in self.asking and result.is_python_constant() and type(result.as_python_constant()) is bool:
            self.asked.append((function.parent, place_of(function.parent)))


FEATURE = hooks.Feature(__name__, hooks.GAIN, "what `is_compiling()` answers", state=Questions)


def place_of(function: Any) -> Any:
    """The present place in a traced function: code and line."""
    return function.f_code, function.lineno


@FEATURE.hook("torch_function.call")
def answer(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Note a question, and answer False at the places named by the retry."""
    from ..base.torch_names import ConstantVariable

    if is_question(self.value) and not tx.f_code.co_filename.startswith((folders.TORCH, folders.RUNTIME)):
        questions = FEATURE.of(trace)
        questions.ask(tx, place_of(tx))
        if questions.eager and not questions.eager.isdisjoint([place_of(tx), tx.parent and place_of(tx.parent)]):
            return ConstantVariable.create(False)
    return hooks.DECLINED


@FEATURE.note("inlined.run")
def note_inlined(trace: trace_state.Trace, result: Any, self: Any) -> None:
    """Note whether an inlined function returned or raised."""
    if result is hooks.RAISED:
        FEATURE.of(trace).left.add(self)
    else:
        FEATURE.of(trace).returned(self, result)


def is_question(function: Any) -> bool:
    """Whether a function of torch tells about compilation."""
    if any(function is question for question in QUESTIONS):
        return True
    return getattr(function, "__name__", "") == "is_compiling" and getattr(function, "__module__", "") in OLD_NAMES
