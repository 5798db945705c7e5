"""Locks: `with self.lock:` and `lock.acquire()` inside a whole call.

    with self.lock:                # the wrapper holds the lock around the whole compiled call
        self.total += 1
        y = self.layer(x)

A graph cannot hold a lock. The wrapper takes the locks in front of the guards, and releases them after the flush, so
other threads disturb the call as little as in eager Python. The trace notes the locks of a graph. The prologue ends a
call without these locks; the wrapper takes the locks and starts again. The wrapper never waits for a lock: where a lock
is taken, the call runs in eager Python, which waits at the program's own statement. The wrapper thus never holds a lock
while waiting for another.
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
    """The locks of one trace, and the number of times that the call has taken each lock.

    A `with` on a conditional path may prepare later calls. `waited` has the lines of `with` statements for which a call
    has run in eager Python; None where the trace accepts every line.
    """

    def __init__(self) -> None:
        self.waited: Optional[set[tuple[str, int]]] = None
        self.locks: list[Any] = []
        self.depths: dict[int, int] = {}


FEATURE = hooks.Feature(__name__, hooks.GAIN, "locks that the wrapper holds while a call runs", state=Sections)

PLAIN_LOCK, REENTRANT_LOCK = type(threading.Lock()), type(threading.RLock())
LOCKS = (PLAIN_LOCK, REENTRANT_LOCK)


# ---- The wrapper: locks around a call ----


def hold(owner: Any, locks: tuple[Any, ...]) -> bool:
    """Take all locks for a wrapper; returns False, without any lock, if one is taken."""
    local.holder, local.held = owner, []
    for lock in locks:
        if not lock.acquire(blocking=False):
            let_go()
            return False
        local.held.append(lock)
    return True


def let_go() -> None:
    """Release the locks held for the call."""
    locks, local.held = local.held, []
    for lock in reversed(locks):
        lock.release()


class Needed:
    """The check in the prologue of a graph that needs locks. `follows` tells of random numbers drawn earlier in the
    prologue.
    """

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


# ---- Functions that Dynamo traces ----


class Section:
    """The block of a `with` over a lock, during the trace."""

    def __init__(self, lock: Any) -> None:
        self.lock = lock

    def __enter__(self) -> bool:
        return acquire(self.lock)

    def __exit__(self, *error: Any) -> None:
        release(self.lock)


def section(lock: Any) -> Section:
    """The block for a lock."""
    return Section(lock)


def acquire(lock: Any, blocking: bool = True, timeout: float = -1) -> bool:
    """Take a lock."""
    if blocking is not True or timeout != -1:
        refuse("it does not wait for a lock")
    return bool(note_taken("lock"))


def release(lock: Any) -> None:
    """Release a lock."""
    note_left("lock")


def leave(lock: Any, *error: Any) -> None:
    """Release a lock at the end of a block."""
    note_left("lock")


METHODS: dict[str, Callable[..., Any]] = {
    "acquire": acquire,
    "release": release,
    "__enter__": acquire,
    "__exit__": leave,
}


# ---- Functions that Dynamo runs while tracing, and hooks ----


def wait_once(trace: trace_state.Trace, lines: set[tuple[str, int]]) -> None:
    """Let Dynamo break the graph at each `with` over a lock on a conditional path, except at these lines."""
    FEATURE.of(trace).waited = lines


def may_prepare(trace: trace_state.Trace, tx: Any) -> bool:
    """Whether the entered `with` stands on a conditional path, and no call has run in eager Python for its line yet."""
    waited = FEATURE.of(trace).waited
    if waited is None or (tx.f_code.co_filename, tx.lineno) in waited:
        return False
    while tx is not None:
        if is_passed_by(tx):
            return True
        tx = tx.parent
    return False


def is_passed_by(tx: Any) -> bool:
    """Whether the code in front of the traced instruction can jump past the instruction or return."""
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
    """The lock from before the call behind Dynamo's variable; None for other values."""
    value = getattr(variable, "value", None)
    return value if type(value) in LOCKS and variable.source is not None and real(variable) is value else None


@constant
def note_taken(name: str) -> bool:
    """Note that the call takes a lock of the calling frame."""
    trace, output = trace_state.local.trace, translator().output
    assert trace is not None
    variable = output.current_tx.symbolic_locals[name].realize()
    lock = lock_behind(variable)
    if nested_context() is not None or trace_time.FEATURE.of(trace).drained:
        raise trace_state.SiteRefused("a lock is taken where the graph may compute something once more")
    sections = FEATURE.of(trace)
    depth = sections.depths.get(id(lock), 0)
    if depth and type(lock) is PLAIN_LOCK:
        raise trace_state.SiteRefused("a lock is taken twice")
    if not any(one is lock for one in sections.locks):
        if not sections.locks:
            drawn = prologue.notes_of(trace, output) is not None
            output.random_calls.append((Needed(sections.locks, drawn, bool(output.random_calls)), (), {}))
        sections.locks.append(lock)
        guard(variable, lock)
    sections.depths[id(lock)] = depth + 1
    return True


@constant
def note_left(name: str) -> bool:
    """Note that the call releases a lock of the calling frame."""
    trace = trace_state.local.trace
    assert trace is not None
    depths = FEATURE.of(trace).depths
    key = id(lock_behind(translator().output.current_tx.symbolic_locals[name].realize()))
    if not depths.get(key):
        raise trace_state.SiteRefused("a lock is released that the call has not taken")
    depths[key] -= 1
    return True


def refuse_kept(trace: trace_state.Trace) -> None:
    """Refuse locks that the call keeps, and locks beside external calls of caches: a taken lock would repeat such
    calls.
    """
    sections = FEATURE.of(trace)
    if any(sections.depths.values()):
        raise trace_state.SiteRefused("a lock is taken and not released")
    cached = lru_caches.sites_of(trace)
    if sections.locks and cached:
        for site in cached:
            trace.refuse(site, "the call may find a lock taken, and ask its cache once more")
        raise trace_state.SiteRefused("a lock is taken beside what a cache keeps")


@FEATURE.hook("block.enter")
def enter_section(begin: Any, trace: trace_state.Trace, self: Any, instruction: Any) -> None:
    """Trace a lock as a context manager."""
    if lock_behind(self.stack[-1].realize()) is not None and not may_prepare(trace, self):
        self.push(inline(self, section, [self.pop()], {}))
    begin(self, instruction)


@FEATURE.hook("object.getattr")
def read_method(read: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Trace the methods of a lock."""
    if name in METHODS and lock_behind(self) is not None:
        return bound_method(METHODS[name], self)
    return hooks.DECLINED
