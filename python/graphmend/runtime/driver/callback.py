"""The stand-in for Dynamo's frame callback: the choice, frame by frame, of the mends in force.

Dynamo calls a callback for each frame. `Callback` converts the first frame of a call as a whole graph with all mends in
force, and every further frame with mends without deferred effects:

    inner(frame)                            # Dynamo's own callback: one attempt
    Callback(inner)(frame)                  # attempts with different settings, up to the first graph

`retry_policy` has the order of the attempts.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import random
import sys
from typing import Any, Callable, Optional

import torch

from ..base import folders, hooks, timings, torch_names, trace_state
from ..base.effect_queue import work_of
from ..base.gc_pause import collector_paused
from ..base.held_logs import forgotten_breaks, records_held, release
from ..base.marker_ops import site_of
from ..capture import assumptions, dynamic_counters, growing_lists
from ..capture.data_scalars import CAPTURE
from ..capture.path_speculation import SPECULATION, Speculation, forget_path
from ..effects import deferred_values, undo_log
from ..effects.receivers import receivers_of
from ..external import list_reads, numpy_random_functions
from ..external.locks import wait_once
from ..shims.lazy_attributes import foreseen
from . import faults, variants
from .back_off import BackOff
from .backend import GRAPH
from .conversion_results import compiles, forget_strictness, is_refusal, not_one_graph, run_as_is, run_as_is_once
from .frames import forwards, is_first_frame, runs_beside
from .number_policy import known_numbers
from .outcomes import note_postponing
from .profile_cache import Evidence, Known
from .retry_policy import ENDS, Attempt, Course, Strategy, first_line, is_raising, next_strategy
from .trace_costs import taking
from .warmup_calls import Preparation

MAX_ATTEMPTS = 64
# `logging` holds a lock of its own while it runs: it must not wait for that of the compiler, whose holder may log.
LEFT_ALONE = (folders.RUNTIME, logging.__file__)


class Callback:
    """Converts the frames of one compiled callable."""

    def __init__(self, inner: Any, record: Any, backend: Any, only: bool) -> None:
        functools.update_wrapper(self, inner)
        self._torchdynamo_orig_backend = inner._torchdynamo_orig_backend
        self.inner = inner
        self.record = record
        self.backend = backend
        self.only = only  # the user wants one graph or an error
        self.off: dict[bool, dict[str, None]] = {False: {}, True: {}}  # sites that stay as written, by gradient mode
        self.eager: set[Any] = set()  # places where the program is told that it is not compiled
        self.held: dict[str, Any] = {}  # numbers that modules of the program held, by their sources
        self.preparation = Preparation()
        self.course: Optional[Course] = None  # of the last call that was left to eager Python
        self.back_off = BackOff()
        self.evidence = Evidence()

    def __call__(self, frame: Any, cache_entry: Any, frame_state: Any) -> Any:
        if trace_state.local.trace is not None:
            return self.inner(frame, cache_entry, frame_state)
        try:
            return self.convert(frame, cache_entry, frame_state)
        except torch_names.MissingName as error:  # of a name that the driver itself needs
            faults.note(error)
            return self.inner(frame, cache_entry, frame_state)

    def share_with(self, other: Callback) -> None:
        """Share settings and findings with the callback of another variant."""
        other.off, other.eager, other.held, other.evidence = self.off, self.eager, self.held, self.evidence
        other.back_off = self.back_off

    def convert(self, frame: Any, cache_entry: Any, frame_state: Any) -> Any:
        """Convert a frame as a whole call or as a part of one."""
        if frame.f_code.co_filename.startswith(LEFT_ALONE):
            return run_as_is()
        with torch_names.compile_lock:
            first = self.backend.whole and is_first_frame(sys._getframe(1))
            if first and not runs_beside(frame.f_code, self.backend.entry):
                return self.convert_whole(frame, cache_entry, frame_state)
            return self.convert_partial(frame, cache_entry, frame_state)

    def convert_whole(self, frame: Any, cache_entry: Any, frame_state: Any) -> Any:
        """Convert the first frame of a call into one graph, or raise NotWhole or OtherPath."""
        if self.record.paths > 1 and not trace_state.local.tracing:
            raise trace_state.OtherPath
        if self.back_off.skips():
            raise trace_state.NotWhole(again=True)
        self.look_ahead(frame)
        known = None if forwards(frame.f_code) else self.evidence.take(frame, self.backend.inner)
        if known is not None and known.left is not None and not self.only:
            self.believe(known)
            self.record.reason = f"{known.left}, as an earlier run has shown"
            raise trace_state.NotWhole
        result, error = self.attempts(frame, cache_entry, frame_state, True, known)
        if error is None:
            self.back_off.succeeded()
            if self.is_early() and compiles(result):
                self.record.mode, self.record.reason = "whole", None
            return result
        if is_raising(error):
            self.back_off.failed()
            raise trace_state.NotWhole(raises=True)
        if getattr(error, "frame_exec_strategy", None) is not None:
            return self.inner(frame, cache_entry, frame_state)
        again = self.preparation.may_be_over(error)
        if self.only and not again:
            return self.inner(frame, cache_entry, frame_state)
        if again:
            self.wait(first_line(error))
        self.record.reason = faults.REASON if faults.place_of(error) else first_line(error)
        self.back_off.failed()
        raise trace_state.NotWhole

    def look_ahead(self, frame: Any) -> None:
        """Leave the first call of a model that fills in an attribute to eager Python."""
        if self.record.mode != "unused" or self.preparation.filled or forwards(frame.f_code):
            return
        name = foreseen(frame.f_locals.values())
        if name is not None:
            self.preparation.filled = True
            self.wait(f"the call fills in `{name}`")

    def wait(self, reason: str) -> None:
        """Leave the call to eager Python; the next call is traced anew."""
        if self.is_early():
            self.record.mode, self.record.reason = "waiting", reason
        raise trace_state.NotWhole(again=True)

    def is_early(self) -> bool:
        """Whether no trace of the callable has made a graph, or has shown that there is none."""
        return self.record.mode in ("unused", "waiting")

    def convert_partial(self, frame: Any, cache_entry: Any, frame_state: Any) -> Any:
        """Convert one frame of a call that may have several."""
        result, error = self.attempts(frame, cache_entry, frame_state, False)
        if error is None:
            self.note_break(frame, result)
            return result
        if is_raising(error) and not self.only:
            return run_as_is_once()
        try:
            return self.convert_plainly(frame, cache_entry, frame_state)
        except Exception as fault:
            if self.only or is_refusal(fault):
                raise
            return run_as_is_once()  # earlier traces decide which call of several meets a fault of Dynamo

    def convert_plainly(self, frame: Any, cache_entry: Any, frame_state: Any) -> Any:
        """Convert a frame as Dynamo does without mends."""
        result = None
        try:
            with timings.attempt(self.record):
                result = self.inner(frame, cache_entry, frame_state)
            return result
        finally:
            timings.settle(result is not None, compiles(result))

    def note_break(self, frame: Any, result: Any) -> None:
        """Note that a call breaks which was never traced as a whole, because hooks run around the call."""
        untried = self.record.mode == "unused" and not self.backend.whole
        reason = not_one_graph(frame, result) if untried and compiles(result) else None
        if reason is not None:
            self.record.mode, self.record.reason = "partial", f"{reason}, where hooks run around the call"

    def attempts(
        self, frame: Any, cache_entry: Any, frame_state: Any, whole: bool, known: Optional[Known] = None
    ) -> tuple[Any, Any]:
        """Trace until no site that cannot be proved is left; returns (result, None) or (None, error).

        `known` is the profile of earlier processes; it is forgotten if the first trace fails.
        """
        if whole and not self.record.calls_random:
            trace_state.local.generator = random.getstate()
        forget_known = self.believe(known) if known is not None else None
        course = self.begin(whole, known)
        error: Any = None
        with forgotten_breaks() as forget_breaks:
            for _ in range(MAX_ATTEMPTS):
                trace = self.new_trace(course)
                if course.early and self.preparation.may_wait():
                    wait_once(trace, self.preparation.lines())
                with records_held() as records, timings.attempt(self.record), taking(self.record):
                    result, error = self.attempt(trace, frame, cache_entry, frame_state)
                    records = list(records)
                if error is None and whole and not trace.refusals:
                    error = not_one_graph(frame, result)
                if error is None and not trace.refusals and trace.open:
                    trace.refuse(site_of(trace.open[0][0]), "the graph breaks inside one side")
                if error is None and not trace.refusals:
                    if whole or not self.record.replays:  # else plain Dynamo would have logged them in an earlier call
                        release(records)
                    timings.settle(True, compiles(result))
                    self.keep(result, trace, course)
                    return result, None
                timings.settle(False)
                forget_breaks()
                failed = Attempt(trace, error, faults.note(error))
                strategy = next_strategy(course, failed)
                course.take(strategy, failed)
                if strategy is Strategy.WAIT_FOR_ATTRIBUTES:
                    self.preparation.filled = True
                    self.wait(first_line(error))
                if strategy is Strategy.OTHER_VARIANT:
                    graph, left = GRAPH.of(trace), SPECULATION.of(trace).left
                    if left is not None:
                        raise trace_state.OtherPath(left, begins=True)
                    raise trace_state.OtherPath(graph.answers, graph.repeated, graph.crowding)
                if strategy is Strategy.WITHOUT_PROFILE and forget_known is not None:
                    forget_known()
                    course = self.begin(whole, None)
                if strategy in ENDS:
                    break
        return None, course.raised or error or trace_state.SiteRefused("; ".join(trace.refusals.values()))

    def new_trace(self, course: Course) -> trace_state.Trace:
        """The next attempt, with what the callable and its variant have found out."""
        trace = course.trace()
        SPECULATION.begin(trace, Speculation(self.backend.answers if course.whole else None))
        known = growing_lists.KNOWN.of(self.record)
        growing_lists.FEATURE.begin(trace, growing_lists.Growth(known.open(), list_reads.item_from_end, known))
        return trace

    def begin(self, whole: bool, known: Optional[Known]) -> Course:
        """The settings of the first attempt to trace a frame."""
        numbers = known_numbers(self.record)
        if trace_state.local.varied:
            numbers.vary()
        policy = numbers.first(whole, known is not None and known.fixed, self.held)
        if whole and self.course is not None and self.record.mode == "waiting":
            policy.resume(self.course.numbers)
        course = Course(whole, self.off[torch.is_grad_enabled()], frozenset(self.eager), policy)
        course.profiled = known is not None
        course.hosts = whole and numpy_random_functions.KNOWN.of(self.record).hosts
        course.counters = dynamic_counters.KNOWN.of(self.record).symbolic()
        self.course = course if whole and self.is_early() else None
        course.early = whole and self.is_early() and not self.preparation.filled
        may_add = self.record.paths < variants.MAX_PATHS
        course.roomy = whole and may_add and not (numbers.crowded or self.backend.bound)
        return course

    def believe(self, known: Known) -> Callable[[], None]:
        """Begin with the profile of earlier processes; returns a function that forgets it."""
        off, draws = self.off[torch.is_grad_enabled()], numpy_random_functions.KNOWN.of(self.record)
        before, sites = draws.hosts, known.off.keys() - off.keys()
        forget_numbers = known_numbers(self.record).believe(known.symbolic)
        draws.learn(known.hosts)
        off.update(dict.fromkeys(sites))
        trace_state.registry.refused(known.off)

        def forget() -> None:
            forget_numbers()
            draws.forget(before)
            for site in sites:
                off.pop(site, None)

        return forget

    def learn(self, trace: trace_state.Trace, course: Course) -> None:
        """Note for later processes what they would have to find out again about the same program."""
        if not trace.whole:
            return
        graph, numbers, policy = GRAPH.of(trace), assumptions.numbers_of(trace), course.numbers
        self.evidence.add_files(graph.files)
        refused = {site: trace_state.registry.reason(site) for site in course.off}
        fixed = numbers.fixed and policy.tried and not numbers.crowded
        self.evidence.note(off=refused, hosts=course.hosts, fixed=fixed, symbolic=policy.symbolic)
        if graph.facts is not None and not numbers.fixed and not policy.symbolic:
            graph.facts.tell_when_steady(functools.partial(self.evidence.note, fixed=True))

    def keep(self, result: Any, trace: trace_state.Trace, course: Course) -> None:
        """Note the findings of a trace that made a graph."""
        self.learn(trace, course)
        trace_state.registry.refused(course.missed)
        trace_state.registry.mended((*filter(trace_state.leaves_no_mark, trace.touched), *trace.unmarked))
        trace_state.registry.refused(trace.blamed)
        graph, work = GRAPH.of(trace), work_of(trace)
        self.record.calls_random |= graph.calls_random
        self.record.selects |= any(map(trace_state.is_branch, trace.touched))
        self.held.update(assumptions.numbers_of(trace).held)
        known_numbers(self.record).learn(trace)
        dynamic_counters.KNOWN.of(self.record).learn(trace, course.uncounted)
        growing_lists.KNOWN.of(self.record).learn(trace)
        numpy_random_functions.KNOWN.of(self.record).learn(course.hosts)
        self.eager |= course.eager
        self.backend.adopt(trace, course.numbers.bound)
        if work is not None:
            note_postponing(result.guarded_code.code)
            undoes = undo_log.FEATURE.of(trace).notes_changes or graph.notes_changes
            work.complete(undoes, deferred_values.FEATURE.of(trace).fills, receivers_of(trace))

    def attempt(self, trace: trace_state.Trace, frame: Any, cache_entry: Any, frame_state: Any) -> tuple[Any, Any]:
        """Trace once; returns (result, None) or (None, error)."""
        from ..base.torch_names import (
            _current_scope_id,
            _get_error_on_graph_break,
            _set_error_on_graph_break,
            current_scope_id,
        )

        scope, strict = current_scope_id(), _get_error_on_graph_break()
        trace_state.local.trace = trace
        _set_error_on_graph_break(strict or trace.whole)
        try:
            with contextlib.ExitStack() as stack:
                stack.enter_context(collector_paused())
                stack.enter_context(torch_names.dynamo_config.patch(CAPTURE if trace.whole else {}))
                stack.enter_context(hooks.in_force(trace))
                return self.inner(frame, cache_entry, frame_state), None
        except Exception as error:
            return None, error
        finally:
            trace_state.local.trace = None
            forget_path(trace)
            forget_strictness(self._torchdynamo_orig_backend)
            _current_scope_id.value = scope
            _set_error_on_graph_break(strict)
