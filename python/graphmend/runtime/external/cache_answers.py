"""Answers that a cache has already, for functions that no trace can compute again.

    @functools.lru_cache
    def has_triton():
        return importlib.util.find_spec("triton") is not None

    if has_triton(): ...        # eager Python asks the cache

What such a function reads may change, and the cache keeps the answer. Where the cache has an answer for the constants
of the call, and the answer is a number or a text, the trace takes the answer. The prologue asks the cache in front of
each run; a call that finds no answer, or another one, runs again in eager Python. A first call that finds the cache
empty fills it in eager Python, and the next call is traced.
"""

from __future__ import annotations

import dataclasses
import gc
from typing import Any, Optional

from ..base import trace_state
from ..base.dynamo_values import translator
from ..base.owned_state import OwnedState
from . import external_calls, prologue
from .numpy_random_functions import is_constant

EMPTY = "Cache without an answer"  # the kind of the break
MISSING = object()
LINK = "_lru_list_elem"  # the entry of a cache with a limit


@dataclasses.dataclass
class Asked:
    """The questions of one graph to caches."""

    output: Any = None
    questions: list[Question] = dataclasses.field(default_factory=list)


ASKED = OwnedState(__name__, Asked)


def answer_of(wrapper: Any, arguments: tuple[Any, ...]) -> Any:
    """The answer that a cache has for positional arguments, or `MISSING`; the cache counts no question.

    The table of a cache is no attribute, but the collector of garbage knows it. A cache with a limit has links in its
    table, and the collector finds their keys and answers one behind the other.
    """
    if wrapper.cache_parameters()["typed"]:
        return MISSING
    referents = gc.get_referents(wrapper)
    own = vars(wrapper)
    table = next((item for item in referents if type(item) is dict and item is not own), {})
    key = arguments[0] if len(arguments) == 1 and type(arguments[0]) in (int, str) else arguments
    answer = table.get(key, MISSING)
    if type(answer).__name__ != LINK:
        return answer
    kept = next(item for item in table if hash(item) == hash(key) and item == key)
    places = [place for place, item in enumerate(referents[:-1]) if item is kept]
    return referents[places[0] + 1] if places else MISSING


class Question:
    """One question to a cache in the prologue of a graph that was made for the answer.

    The first question makes sure that all caches still have their answers, so that the caches count no question of a
    call that has none. A call that has to run again for another reason asks twice, which `cache_info().hits` shows.
    """

    def __init__(self, wrapper: Any, arguments: tuple[Any, ...], answer: Any, questions: list[Question]) -> None:
        self.wrapper = wrapper
        self.arguments = arguments
        self.answer = external_calls.identity(answer)
        self.drawn = False  # random numbers were drawn earlier in the prologue
        self.questions = questions  # of the same graph, in program order
        questions.append(self)

    def __call__(self) -> None:
        waiting = self.questions if self is self.questions[0] else [self]
        if not all(question.holds() for question in waiting):
            raise trace_state.GuardFailed(prologue.undoing_of(self.drawn))
        self.wrapper(*self.arguments)

    def holds(self) -> bool:
        """Whether the cache has the same answer as in the trace."""
        known = answer_of(self.wrapper, self.arguments)
        return known is not MISSING and external_calls.identity(known) == self.answer


def ask(trace: trace_state.Trace, variable: Any, constants: tuple[Any, ...]) -> Optional[Any]:
    """Dynamo's variable for the answer of a cache; None where the answer is more than numbers and texts.

    Breaks the graph where the cache has no answer.
    """
    from ..base.torch_names import VariableTracker, unimplemented

    output, wrapper = translator().output, variable.wrapper_obj
    answer = answer_of(wrapper, constants)
    if answer is MISSING:
        unimplemented(gb_type=EMPTY, context="", explanation="the call fills a cache", hints=[])
    if not is_constant(answer):
        return None
    external_calls.guard(variable, wrapper)
    question = Question(wrapper, constants, answer, ASKED.of_graph(trace, output).questions)
    question.drawn = prologue.notes_of(trace, output) is not None
    output.random_calls.append((question, (), {}))
    return VariableTracker.build(output.current_tx, answer)
