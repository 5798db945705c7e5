"""The deferred work of a call, once its graph has returned, and what becomes of a call in which that raises.

In eager Python nothing behind a failing effect happens. So all that the compiled call has changed is undone, and the
call runs again in eager Python with its mends: what has been carried out is passed over, and where the failing
effect stands its exception is raised. Handlers of the program see it there, as they would have.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Iterator, Union

import torch

from ..base import torch_names
from ..base.effect_queue import DEDENT, INDENT
from ..base.trace_state import Replay, local, replays
from .queue_sizes import Fills
from .redirected_output import ENTERS, enter_made, is_print, leave, leave_all
from .undo_log import nothing

set_eval_frame = torch_names.set_eval_frame
is_grad_enabled = torch.is_grad_enabled


@dataclasses.dataclass(frozen=True)
class Stopped:
    """Work that has raised an exception: its sites, those of what was carried out, and what undoes the call."""

    sites: frozenset[str]
    done: list[str]
    error: BaseException
    undo: Callable[[], bool]


def nobody_left() -> bool:
    """Stands for the undoing of a call that is undone already."""
    return True


UNDONE = Stopped(
    frozenset(), [], RuntimeError("undone"), nobody_left
)  # its receivers are others than when it was traced


def carry_out(waiting: list[Any]) -> Union[Stopped, Fills, None]:
    """Run the deferred work of a call in order, compilation being off.

    Tells where it has raised an exception, or where the result gets what it has read.
    Most calls take the way on which all events are of the gradient mode that is on, where every step counts.
    """
    entry = waiting[0]
    if entry is None:
        return None
    waiting[0] = undo = None
    work = entry[0]
    if work.undoes:
        undo, local.pending = local.pending, None
    if work.receivers is not None and not work.receivers.hold() and (undo or nothing)():
        return UNDONE
    prior = set_eval_frame(None)
    number = 1
    try:
        if work.mode is is_grad_enabled():
            for number, sink in work.sinks:
                sink(*entry[number])
            return work.fills
        mode = is_grad_enabled()
        for number, sink in taken(entry):
            if work.modes[number] is mode:
                sink(*entry[number])
            else:
                with torch.set_grad_enabled(work.modes[number]):
                    sink(*entry[number])
    except BaseException as error:
        leave_all()
        sites = frozenset(site for site in work.sites if site)
        return Stopped(sites, before(entry, number), error, undo or nothing)
    finally:
        set_eval_frame(prior)
    return work.fills


def taken(entry: Any) -> Iterator[tuple[int, Any]]:
    """The events of a call, without those in branches that are not taken."""
    skipping: list[bool] = []
    for number, sink in entry[0].sinks:
        if sink is DEDENT:
            skipping.pop()
        elif sink is INDENT:
            predicate, side = entry[number]
            skipping.append(bool(predicate) is not side)
        elif True not in skipping:
            yield number, sink


def before(entry: Any, last: int) -> list[str]:
    """The sites of the events that were carried out, up to one, without those that only the call itself has seen."""
    sites, found, blocks = entry[0].sites, [], []
    for number, sink in taken(entry):
        if number >= last:
            break
        if sink in ENTERS:
            blocks.append(sink is enter_made)
        elif sink is leave:
            blocks.pop()
        elif sites[number] is not None and not (any(blocks) and is_print(sites[number])):
            found.append(sites[number])
    return found


def run_again(stopped: Stopped, run: Callable[[], Any]) -> Any:
    """Undo a call whose deferred work has raised an exception, and run it in eager Python up to there."""
    if stopped is UNDONE:
        return run()
    if not stopped.undo():
        raise stopped.error
    before, local.replay = local.replay, Replay(stopped.sites, stopped.done, stopped.error)
    replays.append(local.replay)
    try:
        result = run()
        if local.replay.running:
            raise stopped.error
        return result
    finally:
        replays.remove(local.replay)
        local.replay = before
