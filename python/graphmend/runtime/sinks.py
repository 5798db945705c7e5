"""The deferred work of a call, once its graph has returned, and what becomes of a call in which that raises.

In eager Python nothing behind a failing effect happens. So all that the compiled call has changed is undone, and the
call runs again in eager Python with its mends: what has been carried out is passed over, and where the failing
effect stands its exception is raised. Handlers of the program see it there, as they would have.
"""

from __future__ import annotations

from typing import Any, Callable, Optional

import torch

from .state import Replay, local, replays
from .undo import nothing

set_eval_frame = torch._C._dynamo.eval_frame.set_eval_frame
is_grad_enabled = torch.is_grad_enabled


class Stopped:
    """Deferred work that has raised an exception: the sites of what came before it, and what undoes the call."""

    def __init__(self, events: list[Any], done: list[str], error: BaseException, undo: Any) -> None:
        self.sites = frozenset(event[3] for event in events if event is not None and event[0] is local and event[3])
        self.done = done
        self.error = error
        self.undo = undo


def flush(queue: list[Any]) -> Optional[Stopped]:
    """Run the deferred work of a call in order, compilation being off; tells where it has raised an exception."""
    events = queue[:]
    queue.clear()
    undo = local.pending
    if undo is not None:
        local.pending = None
    prior = set_eval_frame(None)
    skipping = None
    try:
        if len(events) == 1:  # the way that most calls take, where every step counts
            event = events[0]
            if event[2] is is_grad_enabled():
                event[1](*event[4:])
                return None
        mode = is_grad_enabled()
        for event in events:
            if event is None or event[0] is not local:
                skipping = inside(event, skipping)
            elif not skipping or True not in skipping:
                if event[2] is mode:
                    event[1](*event[4:])
                else:
                    with torch.set_grad_enabled(event[2]):
                        event[1](*event[4:])
    except BaseException as error:
        return Stopped(events, before(events, event), error, undo or nothing)
    finally:
        set_eval_frame(prior)
    return None


def inside(event: Any, skipping: Optional[list[bool]]) -> list[bool]:
    """Which of the branches around the following events are not taken, once one begins or ends."""
    skipping = skipping or []
    if event is None:
        skipping.pop()
    else:
        skipping.append(bool(event[0]) is not event[1])
    return skipping


def before(events: list[Any], last: Any) -> list[str]:
    """The sites of the events that were carried out, up to one."""
    found: list[str] = []
    skipping: list[bool] = []
    for event in events:
        if event is last:
            break
        if event is None or event[0] is not local:
            skipping = inside(event, skipping)
        elif True not in skipping and event[3] is not None:
            found.append(event[3])
    return found


def run_again(stopped: Stopped, run: Callable[[], Any]) -> Any:
    """Undo a call whose deferred work has raised an exception, and run it in eager Python up to there."""
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
