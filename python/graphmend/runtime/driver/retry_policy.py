"""The next attempt after a trace that failed: a table of strategies, and the settings of the next attempt.

A trace can fail where another trace of the same call succeeds. Example: this loop fails while the length is symbolic,
and succeeds with the length of the call as a constant.

    for i in range(lengths[0].item()):
        x = layer(x)

One conversion of a frame therefore is a loop of attempts. `Course` holds the settings of the next attempt. After a
failed attempt, `next_strategy` goes through `TRANSITIONS` from the top, and takes the first row whose condition holds.
Conditions only read; the change of the chosen row alone writes to the course. The loop ends because every change makes
its own condition false.
"""

from __future__ import annotations

import dataclasses
import enum
from typing import Any, Callable, NamedTuple, Optional

from ..base import torch_names, trace_state
from ..base.dynamo_values import kind_of_break
from ..base.marker_ops import site_of
from ..capture import dynamic_counters
from ..capture.assumptions import numbers_of
from ..capture.merged_numbers import MERGED
from ..capture.path_speculation import SPECULATION
from ..effects import deferred_calls, object_writes
from ..external import numpy_random_functions
from ..shims import is_compiling, lazy_attributes, string_formatting
from . import faults
from .backend import GRAPH, Graph
from .number_policy import NumberPolicy
from .warmup_calls import PREPARING

# Dynamo's names of the graph breaks at which the program itself may raise an exception.
RAISING = (
    *("Observed exception", "failed to find name in frame builtins", "assert with non-string message"),
    *("TypeError when making fake tensor call", "RuntimeError when making fake tensor call"),
    "Data-dependent assertion failed (cannot compile partial graph)",  # an assertion that fails on the path of the call
    "Assertion failed on symbolic shapes",
)


class Strategy(enum.Enum):
    """The difference between the next and the failed attempt, or the end of the loop."""

    WITHOUT_FEATURE = "a feature of graphmend had a fault and is off"
    WAIT_FOR_ATTRIBUTES = "the call runs in eager Python, because it fills in an attribute"
    OTHER_VARIANT = "the call belongs to another variant of the callable"
    ENDLESS_PATH = "ends: the graph would have to follow too many decisions, and breaks at each without them"
    OPEN_COUNTERS = "numbers that the graph writes to stay symbolic"
    WITHOUT_PROFILE = "the profile of earlier processes is forgotten"
    INLINE_DRAWS = "functions that draw from NumPy are traced again"
    HOST_DRAWS_FIRST = "functions that draw from NumPy run as operators, before anything else was tried"
    EAGER_ANSWERS = "`is_compiling()` answers as in eager Python, where the program raised after the answer"
    WITHOUT_RECORDS = "records of objects stay as written, because the call raises where a record is missing"
    SYMBOLIC_NUMBERS = "numbers from the data stay symbolic, because the graph writes to a number of a module"
    HOST_DRAWS = "functions that draw from NumPy run as operators"
    SIZES_IN_TEXTS = "open sizes in texts are those of the call"
    SEPARATE_NUMBERS = "branches whose numbers were merged stay as written"
    COMPILED_NUMBERS = "the backend is a compiler after all, for which Python computes numbers"
    CONSTANT_NUMBERS = "numbers from the data are constants"
    SYMBOLIC_AFTER_ALL = "numbers that were constants because they were many stay symbolic"
    CONSTANT_COUNTERS = "counters of the program are constants"
    LEAVE_SITES = "the refused sites stay as written"
    SITES_STAY = "ends: the refused sites were already as written"
    GIVE_UP = "ends: no strategy is left"


@dataclasses.dataclass
class Course:
    """The settings of the next attempt to convert one frame; `taken` has the strategies so far.

    `trace` hands each setting to its feature.
    """

    whole: bool  # the frame is a whole call
    off: dict[str, None]  # sites that stay as written; the callable owns it, and it outlives the frame
    eager: frozenset[Any]  # places where `is_compiling()` answers as in eager Python
    numbers: NumberPolicy  # the treatment of numbers that depend on data
    hosts: bool = False  # functions that draw from NumPy run as operators
    profiled: bool = False  # the settings come from the profile of earlier processes
    early: bool = False  # the trace may end where the call fills in an attribute
    roomy: bool = False  # the callable may get more variants
    counters: Optional[frozenset[str]] = frozenset()  # integers that stay symbolic, by source; None: all are constants
    missed: dict[str, str] = dataclasses.field(default_factory=dict)  # records without which the trace goes on
    raised: Any = None  # the program's exception, raised after `is_compiling()` answered true
    taken: set[Strategy] = dataclasses.field(default_factory=set)

    def trace(self) -> trace_state.Trace:
        """The next attempt, with the settings of its features."""
        trace = trace_state.Trace(self.whole, frozenset(self.off))
        self.numbers.begin(trace)
        GRAPH.begin(trace, Graph(self.roomy))
        refused = self.taken & {Strategy.LEAVE_SITES, Strategy.SITES_STAY}
        object_writes.FEATURE.begin(trace, object_writes.Writes(hasty=not refused))
        numpy_random_functions.FEATURE.begin(trace, numpy_random_functions.Draws(self.hosts))
        lazy_attributes.FEATURE.begin(trace, lazy_attributes.Filled(self.early))
        is_compiling.FEATURE.begin(trace, is_compiling.Questions(self.eager))
        dynamic_counters.FEATURE.begin(trace, dynamic_counters.Counters(self.counters))
        string_formatting.FEATURE.begin(trace, string_formatting.Texts(Strategy.SIZES_IN_TEXTS in self.taken))
        return trace

    @property
    def uncounted(self) -> bool:
        """Whether counters are constants."""
        return Strategy.CONSTANT_COUNTERS in self.taken

    def take(self, strategy: Strategy, failed: Attempt) -> None:
        """Change the settings for the next attempt."""
        self.taken.add(strategy)
        change = CHANGES.get(strategy)
        if change is not None:
            change(self, failed)


@dataclasses.dataclass(frozen=True)
class Attempt:
    """One attempt that failed: by its `error`, by the sites that its trace refused, or by both."""

    trace: trace_state.Trace
    error: Any
    lost_feature: bool = False  # the error was a fault of graphmend, and cost a feature

    @property
    def raises(self) -> bool:
        """Whether the error may be an exception of the program itself."""
        return is_raising(self.error)

    @property
    def cause(self) -> Any:
        """The error, without Dynamo's wrapper of an error of the backend."""
        return cause_of(self.error)

    @property
    def prepares(self) -> bool:
        """Whether the call ended at code for later calls, with any treatment of numbers."""
        return not self.trace.refusals and kind_of_break(self.error) in PREPARING

    def refused(self) -> dict[str, str]:
        """The refused sites with reasons; without refusals, the innermost site with an open side, or deferred calls."""
        if self.trace.refusals:
            return self.trace.refusals
        if not self.trace.open:
            calls = deferred_calls.FEATURE.of(self.trace).sites
            return dict.fromkeys(calls, f"its result cannot wait for the graph: {first_line(self.error)}")
        return {site_of(self.trace.open[-1][0]): f"a side cannot be traced: {first_line(self.error)}"}

    def questions(self, course: Course) -> frozenset[Any]:
        """New places where the program asked `is_compiling()` and then raised."""
        if not (course.whole and self.raises):
            return frozenset()
        return is_compiling.FEATURE.of(self.trace).places() - course.eager

    def records(self) -> list[str]:
        """The touched sites with records in objects."""
        return [site for site in self.trace.touched if trace_state.records(site)]


# The conditions. Names are those of the strategies.


def may_inline_draws(course: Course, failed: Attempt) -> bool:
    drawn_late = course.taken & {Strategy.HOST_DRAWS, Strategy.INLINE_DRAWS}
    return (
        numpy_random_functions.FEATURE.of(failed.trace).inside and not failed.raises and course.hosts and not drawn_late
    )


def may_host_draws_first(course: Course, failed: Attempt) -> bool:
    drawn = course.taken & {Strategy.HOST_DRAWS, Strategy.HOST_DRAWS_FIRST, Strategy.INLINE_DRAWS}
    return (
        numpy_random_functions.FEATURE.of(failed.trace).inside
        and not failed.raises
        and course.whole
        and not course.hosts
        and not drawn
    )


def is_of_other_variant(course: Course, failed: Attempt) -> bool:
    return GRAPH.of(failed.trace).elsewhere or SPECULATION.of(failed.trace).left is not None


def met_compiler(course: Course, failed: Attempt) -> bool:
    cause = failed.cause
    return isinstance(cause, trace_state.SymbolsRefused) and cause.surprising and not course.numbers.fixed


def without_refusals(condition: Condition) -> Condition:
    """A condition with the further requirement of a trace without refused sites."""
    return lambda course, failed: not failed.trace.refusals and condition(course, failed)


def without_preparation(condition: Condition) -> Condition:
    """A condition with the further requirement of a call without preparation."""
    return without_refusals(lambda course, failed: not failed.prepares and condition(course, failed))


def may_leave_sites(course: Course, failed: Attempt) -> bool:
    refused = failed.refused()
    return bool(refused) and not course.off.keys() >= refused.keys()


def may_miss_records(course: Course, failed: Attempt) -> bool:
    return course.whole and failed.raises and not course.missed.keys() >= set(failed.records())


# The changes.


def inline_draws(course: Course, failed: Attempt) -> None:
    course.hosts = False


def host_draws(course: Course, failed: Attempt) -> None:
    course.hosts = True


def answer_as_eager(course: Course, failed: Attempt) -> None:
    course.eager, course.raised = course.eager | failed.questions(course), course.raised or failed.error


def keep_symbols(course: Course, failed: Attempt) -> None:
    course.numbers.keep_symbols()


def try_constants(course: Course, failed: Attempt) -> None:
    course.numbers.fix_for_compiler(failed.trace, isinstance(failed.cause, trace_state.SymbolsRefused))


def separate_numbers(course: Course, failed: Attempt) -> None:
    sites = dict.fromkeys(MERGED.of(failed.trace).sites, f"its numbers cannot be left open: {first_line(failed.error)}")
    trace_state.registry.refused(sites)
    course.off.update(dict.fromkeys(sites))


def return_to_symbols(course: Course, failed: Attempt) -> None:
    course.numbers.return_to_symbols()


def open_counters(course: Course, failed: Attempt) -> None:
    course.counters = (course.counters or frozenset()) | dynamic_counters.FEATURE.of(failed.trace).late


def fix_counters(course: Course, failed: Attempt) -> None:
    course.counters = None


def leave_sites(course: Course, failed: Attempt) -> None:
    fix_crowd(course, failed)
    trace_state.registry.refused(failed.refused())
    course.off.update(dict.fromkeys(failed.refused()))


def report_sites(course: Course, failed: Attempt) -> None:
    """Report the refused sites; they stay in force, as other calls may have shorter paths."""
    trace_state.registry.refused(failed.trace.refusals)


def miss_records(course: Course, failed: Attempt) -> None:
    fix_crowd(course, failed)
    course.missed.update(dict.fromkeys(failed.records(), "the call fails where it is missing"))
    course.off.update(dict.fromkeys(course.missed))


def give_up(course: Course, failed: Attempt) -> None:
    """Report the sites to blame; a later call also leaves these sites as written."""
    fix_crowd(course, failed)
    trace = failed.trace
    for site in course.missed:
        course.off.pop(site, None)
    trace_state.registry.refused(trace.blamed)
    if not course.whole and trace.touched:
        course.off.update(trace.touched)
        reason = f"the mended code cannot be compiled: {first_line(failed.error)}"
        trace_state.registry.refused(dict.fromkeys(trace.touched, reason))


def fix_crowd(course: Course, failed: Attempt) -> None:
    """Make numbers constants if the trace met too many, and ended for another reason."""
    if numbers_of(failed.trace).crowded and (failed.refused() or failed.prepares):
        course.numbers.fix(failed.trace)


Condition = Callable[[Course, Attempt], bool]
Change = Callable[[Course, Attempt], None]


class Transition(NamedTuple):
    """A row of the table: a strategy, and its condition after a failed attempt."""

    strategy: Strategy
    condition: Condition


# From the top: the first row whose condition holds. docs/architecture.md draws this table.
TRANSITIONS = (
    Transition(Strategy.WITHOUT_FEATURE, lambda course, failed: failed.lost_feature),
    Transition(Strategy.WAIT_FOR_ATTRIBUTES, lambda course, failed: lazy_attributes.FEATURE.of(failed.trace).ended),
    Transition(Strategy.OTHER_VARIANT, is_of_other_variant),
    Transition(Strategy.ENDLESS_PATH, lambda course, failed: course.whole and SPECULATION.of(failed.trace).endless),
    Transition(Strategy.OPEN_COUNTERS, lambda course, failed: bool(dynamic_counters.FEATURE.of(failed.trace).late)),
    Transition(Strategy.WITHOUT_PROFILE, lambda course, failed: course.profiled),
    Transition(Strategy.INLINE_DRAWS, may_inline_draws),
    Transition(Strategy.HOST_DRAWS_FIRST, may_host_draws_first),
    Transition(Strategy.EAGER_ANSWERS, without_refusals(lambda course, failed: bool(failed.questions(course)))),
    Transition(Strategy.WITHOUT_RECORDS, without_refusals(may_miss_records)),
    Transition(
        Strategy.SYMBOLIC_NUMBERS,
        without_refusals(lambda course, failed: numbers_of(failed.trace).moving and not course.numbers.symbolic),
    ),
    Transition(
        Strategy.HOST_DRAWS,
        without_refusals(
            lambda course, failed: numpy_random_functions.FEATURE.of(failed.trace).may_help and not course.hosts
        ),
    ),
    Transition(
        Strategy.SIZES_IN_TEXTS,
        without_preparation(
            lambda course, failed: (
                string_formatting.FEATURE.of(failed.trace).met and Strategy.SIZES_IN_TEXTS not in course.taken
            )
        ),
    ),
    Transition(
        Strategy.SEPARATE_NUMBERS,
        without_preparation(lambda course, failed: bool(MERGED.of(failed.trace).sites)),
    ),
    Transition(Strategy.COMPILED_NUMBERS, without_preparation(met_compiler)),
    Transition(
        Strategy.CONSTANT_NUMBERS,
        without_preparation(lambda course, failed: numbers_of(failed.trace).matter and not course.numbers.tried),
    ),
    Transition(Strategy.SYMBOLIC_AFTER_ALL, without_preparation(lambda course, failed: course.numbers.crowded)),
    Transition(
        Strategy.CONSTANT_COUNTERS,
        without_preparation(lambda course, failed: dynamic_counters.FEATURE.of(failed.trace).met),
    ),
    Transition(Strategy.LEAVE_SITES, may_leave_sites),
    Transition(Strategy.SITES_STAY, lambda course, failed: bool(failed.refused())),
    Transition(Strategy.GIVE_UP, lambda course, failed: True),
)

# The change of each strategy; the loop itself does the work of a strategy without one.
CHANGES: dict[Strategy, Change] = {
    Strategy.INLINE_DRAWS: inline_draws,
    Strategy.HOST_DRAWS_FIRST: host_draws,
    Strategy.EAGER_ANSWERS: answer_as_eager,
    Strategy.SYMBOLIC_NUMBERS: keep_symbols,
    Strategy.HOST_DRAWS: host_draws,
    Strategy.SEPARATE_NUMBERS: separate_numbers,
    Strategy.CONSTANT_NUMBERS: try_constants,
    Strategy.SYMBOLIC_AFTER_ALL: return_to_symbols,
    Strategy.OPEN_COUNTERS: open_counters,
    Strategy.CONSTANT_COUNTERS: fix_counters,
    Strategy.LEAVE_SITES: leave_sites,
    Strategy.SITES_STAY: leave_sites,
    Strategy.WITHOUT_RECORDS: miss_records,
    Strategy.ENDLESS_PATH: report_sites,
    Strategy.GIVE_UP: give_up,
}

ENDS = frozenset(
    {
        *(Strategy.WAIT_FOR_ATTRIBUTES, Strategy.OTHER_VARIANT, Strategy.SITES_STAY),
        *(Strategy.ENDLESS_PATH, Strategy.GIVE_UP),
    }
)


def next_strategy(course: Course, failed: Attempt) -> Strategy:
    """The first strategy in the table whose condition holds."""
    return next(row.strategy for row in TRANSITIONS if row.condition(course, failed))


def cause_of(error: Any) -> Any:
    """The error of the backend, without Dynamo's wrapper; any other error itself."""
    return getattr(error, "inner_exception", error)


def is_raising(error: Any) -> bool:
    """Whether the error may be an exception of the program itself."""
    lone = isinstance(error, (torch_names.TorchRuntimeError, AssertionError))  # `torch._assert` that fails
    return lone or kind_of_break(error).startswith(RAISING)


def first_line(error: Optional[BaseException]) -> str:
    """The first line of an error's text; an error of the backend comes without Dynamo's wrapper."""
    error = cause_of(error)
    refused = faults.unwrapped(error) if error is not None else None
    if isinstance(refused, trace_state.SiteRefused):  # Dynamo puts the name of the class in front
        error = refused
    text = str(error).strip() if error is not None else "no graph"
    return text.splitlines()[0] if text else type(error).__name__
