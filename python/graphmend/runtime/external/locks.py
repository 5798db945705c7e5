"""Locks that a call takes: `with self.lock:`, `lock.acquire()`.

A graph cannot hold a lock, so the wrapper does, from in front of the guards until the deferred effects are done: what
the call reads, computes and writes is as little disturbed by other threads as in eager Python. The trace notes which
locks a graph needs. The code in front of the graph ends a call without them, and the wrapper takes them and begins
anew. The wrapper never waits for a lock: a call that finds one taken runs in eager Python, which waits where the
program does. So no call holds a lock while it waits for another one that the program would not have held there.
"""

from __future__ import annotations

import threading
from typing import Any, Callable, Optional

from ..base import hooks, trace_state
from ..base.dynamo_values import bound_method, constant, inline, real, translator
from ..base.trace_state import local
from ..capture import trace_time
from ..capture.trace_time import nested_context
from . import lru_caches, prologue
from .external_calls import guard


class Sections:
    """The locks of one trace, and how often the call has taken each, by identity.

    A `with` that a call need not come by may prepare later calls. `waited` has the lines of those for which a call has
    run in eager Python; None where the trace need not ask.
    """

    def __init__(self) -> None:
        self.waited: Optional[set[tuple[str, int]]] = None
        self.locks: list[Any] = []
        self.depths: dict[int, int] = {}


FEATURE = hooks.Feature(__name__, hooks.GAIN, "locks that the wrapper holds while a call runs", state=Sections)

PLAIN_LOCK, REENTRANT_LOCK = type(threading.Lock()), type(threading.RLock())
LOCKS = (PLAIN_LOCK, REENTRANT_LOCK)


# ---- What is done around a call ----


def hold(owner: Any, locks: tuple[Any, ...]) -> bool:
    """Take all locks for a wrapper, unless one is taken."""
    local.holder, local.held = owner, []
    for lock in locks:
        if not lock.acquire(blocking=False):
            let_go()
            return False
        local.held.append(lock)
    return True


def let_go() -> None:
    """Release the locks that are held for the call."""
    held, local.held = local.held, []
    for lock in reversed(held):
        lock.release()


class Needed:
    """What stands in front of a graph that needs locks. `follows` tells that random numbers were drawn before."""

    def __init__(self, locks: list[Any], drawn: bool, follows: bool) -> None:
        self.locks = locks
        self.drawn = drawn
        self.follows = follows

    def __call__(self) -> None:
        held = local.held
        if all(any(one is lock for one in held) for lock in self.locks):
            return
        if not self.drawn:
            local.undo.clear()
        raise trace_state.GuardFailed(prologue.undoing() if self.follows else None, locks=tuple(self.locks))


# ---- What Dynamo traces ----


class Section:
    """A block that has a lock."""

    def __init__(self, lock: Any) -> None:
        self.lock = lock

    def __enter__(self) -> bool:
        return acquire(self.lock)

    def __exit__(self, *error: Any) -> None:
        release(self.lock)


def section(lock: Any) -> Section:
    """A lock as a block."""
    return Section(lock)


def acquire(lock: Any, blocking: bool = True, timeout: float = -1) -> bool:
    """Take a lock."""
    if blocking is not True or timeout != -1:
        refuse("it does not wait for a lock")
    return bool(taken("lock"))


def release(lock: Any) -> None:
    """Release a lock."""
    left("lock")


def leave(lock: Any, *error: Any) -> None:
    """Release a lock at the end of a block."""
    left("lock")


METHODS: dict[str, Callable[..., Any]] = {
    "acquire": acquire,
    "release": release,
    "__enter__": acquire,
    "__exit__": leave,
}


# ---- While a call is traced ----


def wait_once(trace: trace_state.Trace, lines: set[tuple[str, int]]) -> None:
    """Leave a `with` over a lock to Dynamo, which ends the trace, but for those at some lines."""
    FEATURE.of(trace).waited = lines


def may_prepare(trace: trace_state.Trace, tx: Any) -> bool:
    """Whether the `with` that is entered may be one that only this call comes by."""
    waited = FEATURE.of(trace).waited
    if waited is None or (tx.f_code.co_filename, tx.lineno) in waited:
        return False
    while tx is not None:
        if is_passed_by(tx):
            return True
        tx = tx.parent
    return False


def is_passed_by(tx: Any) -> bool:
    """Whether code of a frame, in front of the instruction that is traced, may go past the instruction."""
    now = tx.indexof[tx.current_instruction]
    for instruction in tx.instructions[:now]:
        if instruction.opname.startswith("RETURN_"):
            return True
        if "JUMP" in instruction.opname and "_IF_" in instruction.opname and tx.indexof[instruction.target] > now:
            return True
    return False


@constant
def refuse(reason: str) -> bool:
    """End this trace."""
    raise trace_state.SiteRefused(reason)


def lock_behind(variable: Any) -> Optional[Any]:
    """The lock from before the call behind a variable of Dynamo's; None for anything else."""
    value = getattr(variable, "value", None)
    return value if type(value) in LOCKS and variable.source is not None and real(variable) is value else None


@constant
def taken(name: str) -> bool:
    """Note that the call takes the lock of this name in the calling frame."""
    trace, output = trace_state.local.trace, translator().output
    assert trace is not None
    variable = output.current_tx.symbolic_locals[name].realize()
    lock = lock_behind(variable)
    if nested_context() is not None or trace_time.FEATURE.of(trace).drained:
        raise trace_state.SiteRefused("a lock is taken where the graph may compute something once more")
    found = FEATURE.of(trace)
    depth = found.depths.get(id(lock), 0)
    if depth and type(lock) is PLAIN_LOCK:
        raise trace_state.SiteRefused("a lock is taken twice")
    if not any(one is lock for one in found.locks):
        if not found.locks:
            drawn = prologue.notes_of(trace, output) is not None
            output.random_calls.append((Needed(found.locks, drawn, bool(output.random_calls)), (), {}))
        found.locks.append(lock)
        guard(variable, lock)
    found.depths[id(lock)] = depth + 1
    return True


@constant
def left(name: str) -> bool:
    """Note that the call releases the lock of this name in the calling frame."""
    trace = trace_state.local.trace
    assert trace is not None
    depths = FEATURE.of(trace).depths
    number = id(lock_behind(translator().output.current_tx.symbolic_locals[name].realize()))
    if not depths.get(number):
        raise trace_state.SiteRefused("a lock is released that the call has not taken")
    depths[number] -= 1
    return True


def refuse_kept(trace: trace_state.Trace) -> None:
    """Refuse locks that the call does not release, and functions behind caches that are asked before one is held."""
    found = FEATURE.of(trace)
    if any(found.depths.values()):
        raise trace_state.SiteRefused("a lock is taken and not released")
    cached = lru_caches.sites_of(trace)
    if found.locks and cached:
        for site in cached:
            trace.refuse(site, "the call may find a lock taken, and ask its cache once more")
        raise trace_state.SiteRefused("a lock is taken beside what a cache keeps")


@FEATURE.hook("block.enter")
def enter_section(begin: Any, trace: trace_state.Trace, self: Any, instruction: Any) -> None:
    """A lock as a context manager."""
    if lock_behind(self.stack[-1].realize()) is not None and not may_prepare(trace, self):
        self.push(inline(self, section, [self.pop()], {}))
    begin(self, instruction)


@FEATURE.hook("object.getattr")
def read_method(read: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """The methods that take and release a lock."""
    if name in METHODS and lock_behind(self) is not None:
        return bound_method(METHODS[name], self)
    return read(self, tx, name)
