"""The clock of `graphmend run --timings`: seconds by phase and by compiled callable.

A first call is slow for several reasons: traces that are thrown away, proofs, the compiler behind the backend. The
clock charges each second to the innermost phase around the second, as the self times of a call-graph profiler do
(Graham, Kessler and McKusick, "gprof: a call graph execution profiler", 1982):

    with timings.attempt(record):           # one trace of a callable
        ...                                 # -> tracing
        with timings.phase(timings.PROOFS): ...
        with timings.phase(timings.BACKEND): ...
    timings.settle(kept=False)              # -> all three become "thrown away"

Without `--timings` there is no clock, and a phase costs one test.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Optional

SOURCE, RUNTIME = "mending source", "loading the runtime"
KEPT, DISCARDED = "traces kept", "traces thrown away"
PROOFS, BACKEND = "proofs", "backend"
OF_PROCESS = (SOURCE, RUNTIME)
OF_CALLABLES = (KEPT, DISCARDED, PROOFS, BACKEND)


@dataclass
class Seconds:
    """Time that has passed: of the processor, children that have ended included, and of the clock on the wall."""

    cpu: float = 0.0
    wall: float = 0.0

    def add(self, other: Seconds) -> None:
        """Add the time of another phase."""
        self.cpu, self.wall = self.cpu + other.cpu, self.wall + other.wall

    def since(self, start: Seconds) -> Seconds:
        """The time between an earlier reading and this one."""
        return Seconds(self.cpu - start.cpu, self.wall - start.wall)


def now() -> Seconds:
    """A reading of the clocks, since some moment in the past."""
    children = os.times()
    return Seconds(time.process_time() + children.children_user + children.children_system, time.perf_counter())


Phases = dict[str, Seconds]


@dataclass
class Row:
    """What one compiled callable has cost; `traces` counts the kept and the discarded attempts."""

    phases: Phases = field(default_factory=dict)
    traces: Counter[str] = field(default_factory=Counter)


@dataclass
class Clock:
    """All times of a process. A callable is known by its name, file and line."""

    start: Seconds = field(default_factory=now)
    process: Phases = field(default_factory=dict)
    callables: dict[tuple[str, str, int], Row] = field(default_factory=dict)


class Stack(threading.local):
    """The phases that a thread is in, the innermost last, and the attempt that has not been settled."""

    def __init__(self) -> None:
        self.phases: list[str] = []
        self.reading = Seconds()  # at the last change of the innermost phase
        self.charged: Optional[Phases] = None  # of the attempt; None outside of attempts
        self.pending: Optional[tuple[Any, Phases]] = None  # the record of a callable, and what its attempt has cost


clock: Optional[Clock] = None
stack = Stack()


def start() -> None:
    """Begin to measure; phases that have begun before are not measured."""
    global clock
    clock = Clock()


def charge(of: Clock) -> None:
    """Charge the time since the last reading to the innermost phase."""
    reading = now()
    if stack.phases:
        name = stack.phases[-1]
        target = of.process if stack.charged is None or name in OF_PROCESS else stack.charged
        target.setdefault(name, Seconds()).add(reading.since(stack.reading))
    stack.reading = reading


@contextlib.contextmanager
def phase(name: str) -> Iterator[None]:
    """A phase of the work; a phase inside takes its time from the phase around it."""
    running = clock
    if running is None:
        yield
        return
    charge(running)
    stack.phases.append(name)
    try:
        yield
    finally:
        charge(running)
        stack.phases.pop()


@contextlib.contextmanager
def attempt(record: Any) -> Iterator[None]:
    """One trace of the callable of a record; `settle` says afterwards what the trace was good for."""
    if clock is None or stack.charged is not None:
        yield
        return
    stack.charged = {}
    try:
        with phase(KEPT):
            yield
    finally:
        stack.pending = record, stack.charged
        stack.charged = None


def settle(kept: bool, compiles: bool = True) -> None:
    """Add the last attempt of this thread to the row of its callable; `compiles`: whether the attempt made code."""
    if clock is None or stack.pending is None:
        return
    (record, phases), stack.pending = stack.pending, None
    row = clock.callables.setdefault((record.name, record.file, record.line), Row())
    row.traces[KEPT if kept else DISCARDED] += compiles
    for name, seconds in phases.items():
        row.phases.setdefault(name if kept else DISCARDED, Seconds()).add(seconds)
