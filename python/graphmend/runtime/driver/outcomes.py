"""Outcomes of one run of a compiled call: its result with deferred effects carried out, a failed guard, a graph break.

A graph returns before its deferred effects run. Three things can end the call in between:

    the graph finds that its assumptions do not hold     Failure: undo the run, then run another variant
    the trace finds that the call is not one graph       Break: nothing has run yet
    the code around the graph raises                     the effects are lost, so the call is undone and run again
"""

from __future__ import annotations

import dataclasses
import weakref
from typing import Any, Callable, Optional, Union

from ..base import torch_names, trace_state
from ..base.interruptions import is_interruption
from ..effects.flush import carry_out, run_again
from ..effects.queue_sizes import ResultSlots
from ..effects.undo_log import nothing_to_undo
from ..external.locks import let_go

postponing: dict[int, Any] = {}  # by identity: the code around graphs that hands over deferred effects


@dataclasses.dataclass
class Failure:
    """The reason why a call has to run again: its graph was that of another path, or no graph fits.

    `answers` is the known part of the call's path: the beginning if a graph `ran` or a trace `begins` the path, all of
    it otherwise. `path` is the path of the graph that ran. `facts` has the assumptions of a graph that may not stand
    beside those of its variant.
    """

    ran: bool
    restore: Optional[Callable[[], None]]
    answers: Optional[tuple[bool, ...]]
    path: Any = None
    facts: Any = None
    stopped: Any = None  # an effect that raised an exception
    hopeless: bool = False
    locks: tuple[Any, ...] = ()  # to be held for the graph
    begins: bool = False


@dataclasses.dataclass(frozen=True)
class Break:
    """The reason why a call is not one graph: the program `raises`, or prepares later calls and is traced `again`."""

    raises: bool
    again: bool


def settle(error: BaseException) -> Optional[trace_state.GuardFailed]:
    """Drop the deferred effects of a call that ended in an error.

    Returns the exception to raise in place of the error, or None. The code that Dynamo puts around the graph may raise,
    for example in a failing attribute access. The deferred effects of the call are lost then, so the call runs again.
    Effects of a call that was interrupted must not run in the next call either.
    """
    local = trace_state.local
    undo = None
    if isinstance(error, Exception) and not is_interruption(error):
        undo = local.pending or (nothing_to_undo if is_of_postponing_code(error) else None)
        if undo is None:
            return None
    local.waiting[0] = local.pending = None
    return undo and trace_state.GuardFailed(undo)


def note_postponing(code: Any) -> None:
    """Note the code around a graph that hands over deferred effects, for as long as the code lives."""
    number = id(code)
    postponing[number] = weakref.ref(code, lambda _: postponing.pop(number, None))


def is_of_postponing_code(error: BaseException) -> bool:
    """Whether code around a graph with deferred effects raised the error."""
    trace = error.__traceback__
    while trace is not None:
        if id(trace.tb_frame.f_code) in postponing:
            return True
        trace = trace.tb_next
    return False


def failure_of(error: BaseException) -> Union[Failure, Break, None]:
    """The failure or graph break that an error stands for; None for an error of the program."""
    error = settle(error) or error
    if isinstance(error, trace_state.GuardFailed):
        return Failure(True, error.restore, error.answers, error.path, None, error.stopped, error.hopeless, error.locks)
    if isinstance(error, trace_state.OtherPath):
        return Failure(False, None, error.answers, facts=error.facts, begins=error.begins)
    return Break(error.raises, error.again) if isinstance(error, trace_state.NotWhole) else None


def run_eagerly(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run a call in eager Python. The call takes its locks itself."""
    let_go()
    set_eval_frame = torch_names.set_eval_frame
    prior = set_eval_frame(None)
    try:
        return function(*args, **kwargs)
    finally:
        set_eval_frame(prior)


def run_whole(
    run: Callable[..., Any], eagerly: Callable[[], Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Run a call as one graph, then its deferred effects; raises GuardFailed if the call has to run otherwise."""
    try:
        result = run(*args, **kwargs)
    except BaseException as error:
        failed = settle(error)
        if failed is None:
            raise
    else:
        after = carry_out(trace_state.local.waiting)
        return result if after is None else complete(result, after, eagerly)
    raise failed


def complete(result: Any, after: Any, eagerly: Callable[[], Any]) -> Any:
    """The result of a call whose deferred effects left work: values to fill in, or an exception to raise."""
    return after.fill(result) if type(after) is ResultSlots else run_again(after, eagerly)
