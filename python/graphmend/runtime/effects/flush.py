"""The flush: deferred effects of a call run in program order after the graph has returned.

    print("before")          # deferred
    handler.emit(record)     # deferred, and raises: eager Python would stop here
    y = model(x)             # the graph has computed this already

Where an effect raises, the compiled call is undone and *replayed*: the call runs in eager Python with its mends, skips
the effects that were carried out, and raises the exception at the failing effect. Exception handlers of the program see
the exception in the frame of the statement, as in plain Python.
"""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any, Callable, Iterator, Optional, Protocol, Union

import torch

from ..base import torch_names
from ..base.effect_queue import DEDENT, INDENT, apply
from ..base.trace_state import Replay, local, replays
from .deferral import prints_into_made
from .kept_tensors import keep, stays, take_out
from .queue_sizes import ResultSlots
from .receivers import Receivers
from .redirected_output import ENTERS, enter_made, is_print, leave, leave_all
from .undo_log import nothing_to_undo

set_eval_frame = torch_names.set_eval_frame
is_grad_enabled = torch.is_grad_enabled


@dataclasses.dataclass(frozen=True)
class Stopped:
    """An effect that raised: all sites with effects, the sites carried out so far, and the function that undoes the
    call.
    """

    sites: frozenset[str]
    done: list[Optional[str]]
    error: BaseException
    undo: Callable[[], bool]


class DeferredWork(Protocol):
    """The work of a graph (`effect_queue.Work`), with the types of this room."""

    sinks: tuple[tuple[int, Callable[..., None]], ...]
    functions: frozenset[Callable[..., None]]
    modes: tuple[Any, ...]  # a bool at the position of each event
    sites: tuple[Optional[str], ...]
    mode: Optional[bool]
    undoes: bool
    fills: Optional[ResultSlots]
    receivers: Optional[Receivers]


def nobody_left() -> bool:
    """The `undo` of a call that has been undone before."""
    return True


# A call whose receivers, or whose containers, are no longer those of its trace.
UNDONE = Stopped(frozenset(), [], RuntimeError("undone"), nobody_left)


def carry_out(waiting: list[Any]) -> Union[Stopped, ResultSlots, None]:
    """Run the deferred effects of a call in order, with compilation off.

    Returns the stop if an effect raised, and otherwise the places of deferred values in the result. The branch for
    events of one gradient mode, the present one, is the common case, and each step there costs time in every call.
    """
    entry = waiting[0]
    if entry is None:
        return None
    waiting[0] = undo = None
    work: DeferredWork = entry[0]
    if work.undoes:
        undo, local.pending = local.pending, None
    if work.receivers is not None and not work.receivers.hold() and (undo or nothing_to_undo)():
        return UNDONE
    if apply in work.functions and not all_stay(entry) and (undo or nothing_to_undo)():
        return UNDONE
    prior = set_eval_frame(None)
    number = 1
    try:
        if work.mode is is_grad_enabled():
            for number, sink in work.sinks:
                sink(*entry[number])
            return work.fills
        mode = is_grad_enabled()
        for number, sink in events_to_run(entry):
            if work.modes[number] is mode:
                sink(*entry[number])
            else:
                with torch.set_grad_enabled(work.modes[number]):
                    sink(*entry[number])
    except BaseException as error:
        leave_all()
        sites = frozenset(site for site in work.sites if site)
        return Stopped(sites, sites_before(entry, number), error, undo_of(entry, number, undo or nothing_to_undo))
    finally:
        set_eval_frame(prior)
    return work.fills


def all_stay(entry: Any) -> bool:
    """Whether all containers that get tensors are of Python's own types, as they were in the trace."""
    called = (function_of(sink, entry[number]) for number, sink in entry[0].sinks)
    return all(stays(*values) for function, values in called if function is keep)


def events_to_run(entry: Any) -> Iterator[tuple[int, Any]]:
    """The events of a call, without the events of branch sides that are not taken."""
    skipping: list[bool] = []
    for number, sink in entry[0].sinks:
        if sink is DEDENT:
            skipping.pop()
        elif sink is INDENT:
            predicate, side = entry[number]
            skipping.append(bool(predicate) is not side)
        elif True not in skipping:
            yield number, sink


def sites_before(entry: Any, last: int) -> list[Optional[str]]:
    """The sites of the events carried out before an event; None for prints into texts of the call itself."""
    sites, blocks = entry[0].sites, []
    done: list[Optional[str]] = []
    for number, sink in events_to_run(entry):
        if number >= last:
            break
        sink, values = function_of(sink, entry[number])
        if sink in ENTERS:
            blocks.append(sink is enter_made)
        elif sink is leave:
            blocks.pop()
        elif sites[number] is not None:
            is_own = (any(blocks) and is_print(sites[number])) or prints_into_made(sink, values) or sink is keep
            done.append(None if is_own else sites[number])
    return done


def function_of(sink: Callable[..., None], values: Any) -> tuple[Callable[..., None], Any]:
    """The function that an event calls, and its arguments."""
    return (values[0], values[1:]) if sink is apply else (sink, values)


def undo_of(entry: Any, last: int, undo: Callable[[], bool]) -> Callable[[], bool]:
    """The function that undoes a call, the tensors included that the events before `last` have put into lists."""
    events = itertools.takewhile(lambda event: event[0] < last, events_to_run(entry))
    calls = [function_of(sink, entry[number]) for number, sink in events]
    records = [values for sink, values in calls if sink is keep]
    return (lambda: undo() and take_out(records)) if records else undo


def run_again(stopped: Stopped, run: Callable[[], Any]) -> Any:
    """Undo a call whose deferred effect raised, and replay the call up to the effect."""
    if stopped is UNDONE:
        return run()
    if not stopped.undo():
        raise stopped.error
    outer_replay, local.replay = local.replay, Replay(stopped.sites, stopped.done, stopped.error)
    replays.append(local.replay)
    try:
        result = run()
        if local.replay.running:
            raise stopped.error
        return result
    finally:
        replays.remove(local.replay)
        local.replay = outer_replay
