"""What the next attempt to trace a frame does otherwise than the last one."""

from __future__ import annotations

import dataclasses
from typing import Any, Optional

from ..base import torch_names, trace_state
from ..base.dynamo_values import kind_of_break
from ..base.marker_ops import site_of
from ..shims import is_compiling
from .warmup_calls import PREPARING

# What Dynamo calls the breaks at which the program itself may raise an exception.
RAISING = (
    *("Observed exception", "failed to find name in frame builtins", "assert with non-string message"),
    *("TypeError when making fake tensor call", "RuntimeError when making fake tensor call"),
    "Data-dependent assertion failed (cannot compile partial graph)",  # an assertion that fails on the path of the call
)


@dataclasses.dataclass
class Course:
    """The way from one attempt to the next, for one frame.

    `off` holds the sites that are left as they are, and outlives the frame. `eager` has the places where the program is
    told that it is not compiled. `symbolic`, `fixed` and `items` say what becomes of numbers that data decide, `hosts`
    that functions which draw run as operators of the graph (state.Trace has the same names).
    """

    whole: bool
    off: dict[str, None]
    eager: frozenset[Any]
    symbolic: bool
    items: bool = True
    fixed: bool = False
    crowded: bool = False
    hosts: bool = False
    hurried: Optional[bool] = None  # hosts were taken before anything else had been tried; false if in vain
    tried: bool = False  # with fixed numbers
    bound: bool = False  # they are fixed because the compiler cannot have symbols
    hasty: bool = True  # no trace has refused a site
    early: bool = False  # a trace may be given up for what the call fills in
    roomy: bool = False  # there may be more ways
    held: dict[str, Any] = dataclasses.field(default_factory=dict)  # numbers that modules held in earlier traces
    counters: frozenset[str] = frozenset()  # that are left open
    spelled: bool = False  # open sizes in texts are those of the call
    uncounted: bool = False  # none is, because nothing came of it
    missed: dict[str, str] = dataclasses.field(default_factory=dict)  # records without which the trace goes on
    raised: Any = None  # what the program raised when it was told that it is compiled

    def trace(self) -> trace_state.Trace:
        """The next attempt."""
        numbers = {"fixed": self.fixed, "symbolic": self.symbolic, "items": self.items}
        known = {"hosts": self.hosts, "eager": self.eager, "early": self.early, "held": dict(self.held)}
        known.update(counters=self.counters, hasty=self.hasty, spelled=self.spelled, roomy=self.roomy)
        return trace_state.Trace(self.whole, frozenset(self.off), **known, **numbers)

    def takes_up(self, earlier: Course) -> None:
        """Begin with numbers as the last attempt of an earlier call had them, which was left to eager Python."""
        self.fixed, self.tried, self.crowded = earlier.fixed, earlier.tried, earlier.crowded
        self.symbolic |= earlier.symbolic

    def goes_on(self, trace: trace_state.Trace, error: Any) -> bool:
        """Whether there is another attempt after one that has come to nothing."""
        if self.takes_hosts(trace, error) or (not trace.refusals and self.takes_another_way(trace, error)):
            return True
        if not trace.refusals and trace.open:
            trace.refuse(site_of(trace.open[-1][0]), f"a side cannot be traced: {first_line(error)}")
        if trace.refusals:
            if trace.crowded:
                self.fix(trace)
            return self.leaves_more(trace)
        if not self.missed and self.leaves_records(trace, error):
            return True
        self.give_up(trace, error)
        return False

    def takes_hosts(self, trace: trace_state.Trace, error: Any) -> bool:
        """Whether the trace has ended in a function that draws, and the next one leaves it to the graph, or no longer.

        What stands in such a function is not traced then, so nothing has to be found out about it.
        """
        if not trace.inside or is_raising(error):
            return False
        if self.hosts and self.hurried is not False:
            self.hosts = self.hurried = False
        elif self.whole and self.hurried is None:
            self.hosts = self.hurried = True
        else:
            return False
        return True

    def takes_another_way(self, trace: trace_state.Trace, error: Any) -> bool:
        """Whether the same sites may be traced otherwise."""
        asked = is_compiling.FEATURE.of(trace).places() if self.whole and is_raising(error) else self.eager
        if not asked <= self.eager:
            self.eager, self.raised = self.eager | asked, self.raised or error
        elif trace.moving and not self.symbolic:
            self.symbolic = True
        elif trace.drawing and not self.hosts:
            self.hosts, self.hurried = True, False
        elif kind_of_break(error) in PREPARING:
            if trace.crowded:
                self.fix(trace)
            return False  # whatever numbers are
        elif trace.spelling and not self.spelled:
            self.spelled = True
        elif trace.numbers and not self.tried:
            self.fix(trace)
            self.bound = isinstance(getattr(error, "inner_exception", error), trace_state.SymbolsRefused)
        elif self.crowded:
            self.fixed, self.crowded, self.symbolic = False, False, True
        elif trace.counting:
            self.counters, self.uncounted = frozenset(), True
        else:
            return False
        return True

    def fix(self, trace: trace_state.Trace) -> None:
        """Have numbers fixed from the beginning of the next trace."""
        self.fixed, self.tried, self.crowded = True, True, trace.crowded and not self.symbolic

    def leaves_more(self, trace: trace_state.Trace) -> bool:
        """Whether there are sites to be left as they are that were not before.

        There are none where a part of the runtime itself runs as a frame of its own.
        """
        trace_state.registry.refused(trace.refusals)
        self.hasty = False
        more = not self.off.keys() >= trace.refusals.keys()
        self.off.update(dict.fromkeys(trace.refusals))
        return more

    def leaves_records(self, trace: trace_state.Trace, error: Any) -> bool:
        """Whether a call may fail only because what it reads is recorded behind the graph."""
        if self.whole and is_raising(error):
            reason = "the call fails where it is missing"
            self.missed = dict.fromkeys(filter(trace_state.records, trace.touched), reason)
            self.off.update(dict.fromkeys(self.missed))
        return bool(self.missed)

    def give_up(self, trace: trace_state.Trace, error: Any) -> None:
        """Note which sites are to blame."""
        for site in self.missed:
            self.off.pop(site, None)
        trace_state.registry.refused(trace.blamed)
        if not self.whole and trace.touched:
            self.off.update(trace.touched)
            reason = f"the mended code cannot be compiled: {first_line(error)}"
            trace_state.registry.refused(dict.fromkeys(trace.touched, reason))


class Patience:
    """How often a program that raises an exception in every call is traced: each time twice as many calls are not."""

    def __init__(self) -> None:
        self.exceptions = 0  # in a row
        self.calls = 0  # that are left to eager Python

    def waits(self) -> bool:
        """Whether a call is one of those that are not traced."""
        self.calls -= self.calls > 0
        return self.calls > 0

    def raised(self) -> None:
        """Note that a trace has ended with an exception of the program."""
        self.exceptions += 1
        self.calls = 2 ** min(self.exceptions - 1, 6)

    def ended(self) -> None:
        """Note that a trace has come to its end."""
        self.exceptions = 0


def is_raising(error: Any) -> bool:
    """Whether a frame was not traced for what the program itself may raise in it."""
    lone = isinstance(error, (torch_names.TorchRuntimeError, AssertionError))  # `torch._assert` that fails
    return lone or kind_of_break(error).startswith(RAISING)


def first_line(error: Optional[BaseException]) -> str:
    """Short text of an error; of what a backend raises, that of the backend."""
    error = getattr(error, "inner_exception", error)
    text = str(error).strip() if error is not None else "no graph"
    return text.splitlines()[0] if text else type(error).__name__
