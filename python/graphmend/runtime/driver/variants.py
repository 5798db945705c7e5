"""Variants of a compiled callable: whole ones, each for one path of the program, and a partial one.

    if x.sum() > 0:  # two paths: a graph for True, another one for False
        return f(x)

A *whole* variant compiles each call into one graph with all mends in force; the first trace decides whether a callable
has whole variants. The *partial* variant compiles frames separately like plain Dynamo, and only mends without deferred
effects are in force. A call first runs the variant of the call before. A graph of the wrong path undoes the call, and
`VariantSearch` looks for the right variant.
"""

from __future__ import annotations

import collections
import dataclasses
import time
from typing import Any, Callable, Collection, Optional, Union

import torch

from ..base import trace_state
from ..capture.early_predicates import DRAWN_INSIDE
from ..effects.flush import run_again
from ..external.locks import hold, let_go
from .number_policy import known_numbers
from .outcomes import Break, Failure, run_eagerly, run_whole
from .trace_costs import COSTS

MAX_WASTED, WASTE_RATIO = 8, 8  # more wasted runs than this, and more than one in eight calls, are frequent
MAX_PATHS = 8
MAX_RUNS = 3 * MAX_PATHS
# Graphs of paths that a callable gets before calls have shown that paths come back, by the size of its largest trace.
UNPROVED, UNPROVED_SMALL, UNPROVED_LARGE = 4, 6, 3
SMALL, LARGE = 160, 500  # sizes of traces that take about a third of a second, and a second
OFTEN = 6  # calls with the same path by chance, among many such paths, before the path gets a graph
MAX_SETS = 3  # of numbers that cannot stay symbolic, so that each set has a graph
SELDOM = "what the graph assumes of the data holds too seldom"
VARIED = "the numbers that data decide are others in every call, and cannot be left open"


@dataclasses.dataclass(frozen=True)
class Variant:
    """A whole variant. All its graphs follow one path through the program's decisions, kept by its backend."""

    run: Callable[..., Any]
    backend: Any

    def may_follow(self, known: tuple[bool, ...]) -> bool:
        """Whether the path may begin with these answers; graphs with constant numbers ask for fewer answers."""
        answers = self.backend.answers
        return answers is not None and (self.backend.folds or answers[: len(known)] == known)

    def has_room(self, facts: Any) -> bool:
        """Whether a graph with these assumptions may join the variant's graphs (None: any graph may)."""
        return facts is None or self.backend.facts == {facts}


class Variants:
    """The variants of one compiled callable.

    `whole` has at least one variant, and more where the program decides on data. `latest` ran last. `partial_modes`
    has the gradient modes (grad enabled or not) in which the callable is compiled in parts from now on. `locks` are
    held while a call runs, and `call` is the wrapper.
    """

    call: Callable[..., Any]

    def __init__(
        self,
        first: Variant,
        make_variant: Callable[[int], Variant],
        make_partial: Callable[[], Callable[..., Any]],
        callback: Any,
    ) -> None:
        self.only = callback.only
        self.evidence = callback.evidence
        self.back_off = callback.back_off
        self.whole = [first]
        self.latest = first
        self.make_variant = make_variant
        self.make_partial = make_partial
        self.partial_modes: set[bool] = set()
        self.record = callback.record
        self.partial_call: Optional[Callable[..., Any]] = None
        self.calls = 0
        self.wasted = 0
        self.wasted_seconds = 0.0
        self.locks: tuple[Any, ...] = ()
        self.strayed = 0  # traces for a known path that met another one
        self.joined = 0  # traces that met a known path
        self.chance_paths: collections.Counter[tuple[bool, ...]] = collections.Counter()  # calls by path

    def fail(self, raises: bool) -> None:
        """Note a graph break. In a callable with whole calls the call counts as an exception."""
        if raises or self.record.mode == "whole":
            self.waste(COSTS.of(self.record).seconds)
            return
        self.partial_modes.add(torch.is_grad_enabled())
        self.record.mode = "partial"

    def waste(self, seconds: float) -> None:
        """Note a wasted run of a graph, and about how long it took.

        Frequent waste ends in the partial variant: where no graph is that of the calls, at once, and where other graphs
        are, once it has cost as much as the traces of the callable. Then the partial variant, whose frames are traced
        anew, costs at most twice what would have been best: the break-even rule of the ski rental problem (Karlin and
        others, "Competitive snoopy caching", 1988).
        """
        self.wasted += 1
        self.wasted_seconds += seconds
        is_frequent = self.wasted > MAX_WASTED and self.wasted * WASTE_RATIO > self.calls
        is_dear = self.wasted_seconds >= COSTS.of(self.record).seconds or self.record.replays > MAX_WASTED
        if is_frequent and is_dear:
            self.compile_in_parts(SELDOM)

    def compile_in_parts(self, reason: str) -> None:
        """Use the partial variant in this gradient mode, here and in later processes."""
        self.leave_whole(reason)
        self.evidence.note(left=reason)

    def leave_whole(self, reason: str) -> None:
        """Use the partial variant from now on, unless the user wants one graph or an error."""
        if not self.only:
            self.partial_modes.add(torch.is_grad_enabled())
            self.record.mode = "partial"
            self.record.reason = reason

    def partial(self) -> Callable[..., Any]:
        """The partial variant, made at its first use."""
        if self.partial_call is None:
            self.partial_call = self.make_partial()
        return self.partial_call

    def fresh(self, tried: set[Variant], known: tuple[bool, ...]) -> Optional[Variant]:
        """A variant without a path; None if there are too many variants, or if chance seldom leads to the path.

        `known` is the beginning of the path, up to where it leaves the path of another variant.
        """
        unused = self.unused(tried)
        if unused is not None:
            return unused
        if self.is_varied():
            self.compile_in_parts(VARIED)
            return None
        if len(self.whole) == MAX_PATHS or self.is_seldom(known):
            return None
        if not self.pays():
            self.note_misses()
            return None
        return self.add()

    def unused(self, tried: Collection[Variant] = ()) -> Optional[Variant]:
        """A variant that has no path yet, and that the call has not tried."""
        return next(
            (variant for variant in self.whole if variant.backend.answers is None and variant not in tried), None
        )

    def add(self) -> Variant:
        """A further variant."""
        self.whole.append(self.make_variant(len(self.whole)))
        self.record.paths = len(self.whole)
        return self.whole[-1]

    def early(self) -> Optional[Variant]:
        """A variant without a path, for a trace that need not follow a known path; None where a known path is likely.

        A trace for a known path is thrown away where the call leaves the path. Traces of earlier calls tell how likely
        that is: one of them may have been an exception. Where chance chooses paths, the search follows known paths as
        far as they go.
        """
        if self.strayed <= self.joined + 1 or self.by_chance():
            return None
        return self.unused() or (self.add() if len(self.whole) < MAX_PATHS and self.pays() else None)

    def note_trace(self, variant: Variant, began: Any) -> None:
        """Note whether a trace joined a known path, or could have; `began` has the path of the variant before it."""
        path, facts = variant.backend.answers, variant.backend.facts
        others = [other.backend for other in self.whole if other is not variant]
        if began is not None or any(other.answers == path and other.facts >= facts for other in others):
            self.joined += 1

    def pays(self) -> bool:
        """Whether a further graph is worth a trace.

        A graph pays when calls take the graph's path again. Where each call takes a path of its own, each call would
        trace the program anew and throw the graph away.
        """
        return len(self.whole) < self.unproved() or self.returned() >= len(self.whole)

    def unproved(self) -> int:
        """The number of graphs that the callable gets on trial: fewer where a trace is dear, or chance chooses."""
        size = max(variant.backend.size for variant in self.whole)
        is_small = size <= SMALL and not self.by_chance()
        return UNPROVED_LARGE if size > LARGE else UNPROVED_SMALL if is_small else UNPROVED

    def by_chance(self) -> bool:
        """Whether random numbers decide on paths."""
        return any(any(variant.backend.chances) for variant in self.whole)

    def misses(self) -> int:
        """The number of calls without a graph, with the present call."""
        return int(self.record.replays) + 1

    def returned(self) -> int:
        """The number of calls with the path of an earlier call."""
        return self.calls - len(self.whole) - self.misses()

    def note_misses(self) -> None:
        """Note for later processes that graphs of paths do not pay, where most calls have none."""
        if self.misses() >= self.unproved() and 2 * self.returned() < self.misses():
            self.evidence.note(left=SELDOM)

    def is_seldom(self, known: tuple[bool, ...]) -> bool:
        """Count a path; returns whether random numbers choose among many paths, and few calls took the path.

        Where layers are dropped at random there are more paths than calls that repeat a path.
        """
        chances = [v.backend.chances for v in self.whole if len(v.backend.chances) >= len(known) > 0]
        if not any(sum(path) > DRAWN_INSIDE and path[len(known) - 1] for path in chances):
            return False
        self.chance_paths[known] += 1
        return self.chance_paths[known] < OFTEN

    def is_varied(self) -> bool:
        """Whether sets of numbers have used up their variants."""
        mode = torch.is_grad_enabled()
        sets = collections.Counter(v.backend.answers for v in self.whole if mode in v.backend.bound)
        return (known_numbers(self.record).crowded and len(self.whole) >= MAX_SETS) or max(
            sets.values(), default=0
        ) >= MAX_SETS

    def rerun(
        self, failure: Failure, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Run a call again, with the variant of its path or in eager Python."""
        search = VariantSearch(self)
        try:
            return self.searched(search, failure, function, args, kwargs)
        finally:
            trace_state.local.spared = 0

    def searched(
        self,
        search: VariantSearch,
        failure: Failure,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """The result of a call, by the variant from the search."""
        variant = self.latest

        def eagerly() -> Any:
            return self.run_eagerly(function, args, kwargs)

        while True:
            if failure.hopeless:
                self.compile_in_parts(VARIED)
                search.over = True
            search.note(variant, failure)
            following = search.next()
            if following is None:
                if search.strayed:
                    self.back_off.failed()
                is_free = len(search.tried) <= trace_state.local.spared and not search.absent and not search.left
                return self.run_eagerly(function, args, kwargs, is_free)
            variant, began = following, following.backend.answers
            started = time.perf_counter()
            try:
                search.announce()
                result = run_whole(variant.run, eagerly, args, kwargs)
            except trace_state.GuardFailed as failed:
                failure = Failure(True, failed.restore, failed.answers, failed.path, hopeless=failed.hopeless)
                if failed.locks:
                    self.latest = variant
                    return self.begin_with(failed.locks, failed.restore, function, args, kwargs)
            except trace_state.OtherPath as failed:
                failure = Failure(False, None, failed.answers, facts=failed.facts, begins=failed.begins)
                search.over = failed.repeated
            else:
                self.latest = variant
                if search.tracing:
                    self.note_trace(variant, began)
                else:
                    for _ in range(len(search.tried) - trace_state.local.spared):
                        self.waste(time.perf_counter() - started)
                return result
            finally:
                search.withdraw()

    def recover(
        self,
        failure: Union[Failure, Break],
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Run a failed call again, or a call with a graph break."""
        if isinstance(failure, Failure):
            if failure.stopped is not None:
                return run_again(failure.stopped, lambda: self.run_eagerly(function, args, kwargs))
            if failure.locks:
                return self.begin_with(failure.locks, failure.restore, function, args, kwargs)
            try:
                return self.rerun(failure, function, args, kwargs)
            except trace_state.NotWhole:
                pass
            return self.run_eagerly(function, args, kwargs)  # the path of this call is no graph, other paths are
        if failure.again:
            return run_eagerly(function, args, kwargs)
        self.fail(failure.raises)
        let_go()
        if not failure.raises or (self.partial_modes and torch.is_grad_enabled() in self.partial_modes):
            return self.partial()(*args, **kwargs)
        result = self.run_eagerly(function, args, kwargs)
        self.leave_whole("its trace raises an exception that the program does not raise")
        return result

    def begin_with(
        self,
        locks: tuple[Any, ...],
        restore: Optional[Callable[[], None]],
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Undo a call that ran without the locks of its graph, and run the call with them, as later calls do."""
        if restore is not None:
            restore()
        let_go()
        self.locks = locks
        return self.locked(locks, function, args, kwargs)

    def locked(
        self, locks: tuple[Any, ...], function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Run a call with its locks held, in eager Python if another thread or the caller has taken a lock."""
        local = trace_state.local
        outer = local.holder, local.held
        try:
            if hold(self, locks):
                return self.call(*args, **kwargs)
            return run_eagerly(function, args, kwargs)
        finally:
            let_go()
            local.holder, local.held = outer

    def run_eagerly(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], is_free: bool = False
    ) -> Any:
        """Run a call in eager Python; the work of its graphs was wasted, unless the path was known before one ran."""
        self.record.replays += 1
        started = time.perf_counter()
        result = run_eagerly(function, args, kwargs)
        if not is_free:
            self.waste(time.perf_counter() - started)
        return result


class VariantSearch:
    """The search for the variant of one call.

    `known` is the beginning of the call's path, as far as graphs have reported answers, or all of the path where
    `complete` is true. Variants in `tried` ran a wrong graph for the call, variants in `absent` have no graph for the
    call, and variants in `left` have another path than the call; a trace comes where none else is there. `failed` has
    the paths of the wrong graphs, and `varied` is true where numbers, and not decisions, made a graph wrong. `facts`
    has the assumptions of the call's graph, where the graph may only join graphs with equal assumptions.
    """

    def __init__(self, variants: Variants) -> None:
        self.variants = variants
        self.known: tuple[bool, ...] = ()
        self.complete = False
        self.tried: set[Variant] = set()
        self.failed: tuple[Any, ...] = ()
        self.varied = False
        self.absent: set[Variant] = set()
        self.left: set[Variant] = set()
        self.facts: Any = None
        self.tracing = False
        self.over = False
        self.strayed = False  # a trace for this call met another path
        self.runs = 0

    def note(self, variant: Variant, failure: Failure) -> None:
        """Undo a run, and learn from it."""
        if failure.restore is not None:
            failure.restore()
        self.runs += 1
        self.over |= self.runs == MAX_RUNS or (failure.ran and failure.answers is None)
        if failure.ran:
            self.tried.add(variant)
            self.failed += (failure.path,)
            self.varied |= not failure.answers and any(isinstance(part, str) for part in failure.path or ())
        elif failure.answers is None:
            self.absent.add(variant)
        else:
            self.strayed = True
            self.variants.strayed += 1
            if failure.begins:
                self.left.add(variant)
            else:
                self.complete = True
                self.facts = failure.facts
        if failure.answers is not None and (self.complete or len(failure.answers) > len(self.known)):
            self.known = failure.answers

    def next(self) -> Optional[Variant]:
        """The next variant to run or to trace; None if the call has to run in eager Python."""
        if self.over:
            return None
        passed = self.tried | self.left
        found = [v for v in self.variants.whole if v not in passed and v.may_follow(self.known)]
        if self.complete:
            found = [v for v in found if v.backend.answers == self.known and v.has_room(self.facts)]
        untried = [] if self.complete else [v for v in found if v not in self.absent]
        undecided = not (self.complete or untried or self.known)
        self.complete, self.tracing = False, not untried
        early = self.variants.early() if undecided and found and not self.left else None
        usable = [early] if early is not None else untried or found
        return usable[0] if usable else self.variants.fresh(self.tried, self.known)

    def announce(self) -> None:
        """Tell a trace of the call how far the search has come."""
        local = trace_state.local
        local.known, local.tracing, local.failed, local.varied = self.known, self.tracing, self.failed, self.varied

    def withdraw(self) -> None:
        """Forget the announcement: the next call begins a search of its own."""
        local = trace_state.local
        local.known, local.tracing, local.failed, local.varied = (), False, (), False
