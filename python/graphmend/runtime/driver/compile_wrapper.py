"""The wrapper around what `torch.compile` returns.

Every compiled callable has two ways to run. *Whole*: its first frame is one graph and all mends are in force; the
decision falls while that frame is converted, before anything has run. *Partial*: frames are compiled one by one as
Dynamo likes, and only mends that postpone nothing are in force.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
import logging
import os
import random
import sys
import weakref
from typing import Any, Callable, Optional, Union

import torch

from ..base import folders, hooks, torch_names, trace_state
from ..base.folders import is_pythons_own
from ..base.gc_pause import collected_later
from ..base.held_logs import forgotten_breaks, held, release
from ..base.marker_ops import site_of
from ..base.trace_state import replays
from ..capture.assumptions import MOST
from ..capture.data_scalars import CAPTURE
from ..capture.identity_guard import surroundings
from ..effects.flush import carry_out, run_again
from ..effects.queue_sizes import Fills
from ..effects.undo_log import nothing
from ..shims.lazy_attributes import foreseen
from . import faults
from .profile_cache import Evidence, Known
from .retry_policy import Course, Patience, first_line, is_raising
from .warmup_calls import Preparation

MAX_ATTEMPTS = 64
MAX_WASTED, WASTE_RATIO = 8, 8
MAX_PATHS = 8
MAX_RUNS = 3 * MAX_PATHS
# `logging` holds a lock of its own while it runs: it must not wait for that of the compiler, whose holder may log.
LEFT_ALONE = (folders.RUNTIME, logging.__file__)
FORWARDERS = {
    ("module.py", "_wrapped_call_impl"),
    ("module.py", "_call_impl"),
    ("_contextlib.py", "decorate_context"),
    ("eval_frame.py", "compile_wrapper"),
}
OFTEN = 6  # times that one of many paths by chance is met before it gets a graph
MAX_SETS = 3  # of numbers that cannot be left open, so that each set has a graph
SELDOM = "what the graph assumes of the data holds too seldom"
VARIED = "the numbers that data decide are others in every call, and cannot be left open"
MAX_CONSTANTS = 4  # Dynamo has no more than 8 graphs of a function, and runs it as it is from then on
postponing: dict[int, Any] = {}  # by identity: the code around graphs that postpone work


class Callback:
    """Stands in for Dynamo's frame callback and decides, frame by frame, which mends are in force."""

    def __init__(self, inner: Any, record: Any, backend: Any, only: bool) -> None:
        functools.update_wrapper(self, inner)
        self._torchdynamo_orig_backend = inner._torchdynamo_orig_backend
        self.inner = inner
        self.record = record
        self.backend = backend
        self.only = only
        self.off: dict[bool, dict[str, None]] = {False: {}, True: {}}
        self.eager: set[Any] = set()  # where the program is told that it is not compiled
        self.held: dict[str, Any] = {}  # numbers that modules of the program held, by their sources
        self.preparation = Preparation()
        self.course: Optional[Course] = None  # of the last call that was left to eager Python
        self.patience = Patience()
        self.evidence = Evidence()

    def __call__(self, frame: Any, cache_entry: Any, frame_state: Any) -> Any:
        if trace_state.local.trace is not None:
            return self.inner(frame, cache_entry, frame_state)
        try:
            return self.convert(frame, cache_entry, frame_state)
        except torch_names.MissingName as error:  # of a name that the driver itself needs
            faults.note(error)
            return self.inner(frame, cache_entry, frame_state)

    def convert(self, frame: Any, cache_entry: Any, frame_state: Any) -> Any:
        """Convert a frame as a whole call or as a part of one."""
        if frame.f_code.co_filename.startswith(LEFT_ALONE):
            return left_alone()
        with torch_names.compile_lock:
            first = self.backend.whole and is_first_frame(sys._getframe(1))
            if first and not runs_beside(frame.f_code, self.backend.entry):
                return self.convert_whole(frame, cache_entry, frame_state)
            return self.convert_partial(frame, cache_entry, frame_state)

    def convert_whole(self, frame: Any, cache_entry: Any, frame_state: Any) -> Any:
        """Convert the first frame of a call into one graph, or raise NotWhole or OtherPath."""
        if self.record.paths > 1 and not trace_state.local.tracing:
            raise trace_state.OtherPath
        if self.patience.waits():
            raise trace_state.NotWhole(again=True)
        self.look_ahead(frame)
        known = None if forwards(frame.f_code) else self.evidence.take(frame, self.backend.inner)
        if known is not None and known.left is not None and not self.only:
            self.record.reason = f"{known.left}, as an earlier run has shown"
            raise trace_state.NotWhole
        result, error = self.attempts(frame, cache_entry, frame_state, True, known)
        if error is None:
            self.patience.ended()
            if self.is_early() and getattr(result, "guarded_code", None) is not None:
                self.record.mode, self.record.reason = "whole", None
            return result
        if is_raising(error):
            self.patience.raised()
            raise trace_state.NotWhole(raises=True)
        if getattr(error, "frame_exec_strategy", None) is not None:
            return self.inner(frame, cache_entry, frame_state)
        again = self.is_early() and self.preparation.may_be_over(error)
        if self.only and not again:
            return self.inner(frame, cache_entry, frame_state)
        if again:
            self.wait(first_line(error))
        self.record.reason = faults.REASON if faults.place_of(error) else first_line(error)
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
        """Leave the call to eager Python; the next one is traced anew."""
        self.record.mode, self.record.reason = "waiting", reason
        raise trace_state.NotWhole(again=True)

    def is_early(self) -> bool:
        """Whether no trace of the callable has made a graph, nor told that there is none."""
        return self.record.mode in ("unused", "waiting")

    def convert_partial(self, frame: Any, cache_entry: Any, frame_state: Any) -> Any:
        """Convert one frame of a call that may have several."""
        result, error = self.attempts(frame, cache_entry, frame_state, False)
        if error is None:
            self.note_break(frame, result)
            return result
        if is_raising(error) and not self.only:
            return ran_once()
        try:
            return self.inner(frame, cache_entry, frame_state)
        except Exception as fault:
            if self.only or is_refusal(fault):
                raise
            return ran_once()  # which call of several meets a fault of Dynamo depends on what was traced before

    def note_break(self, frame: Any, result: Any) -> None:
        """Note that a call breaks which was never traced as a whole, because hooks run around it."""
        untried = self.record.mode == "unused" and not self.backend.whole
        reason = not_one_graph(frame, result) if untried and getattr(result, "guarded_code", None) else None
        if reason is not None:
            self.record.mode, self.record.reason = "partial", f"{reason}, where hooks run around the call"

    def attempts(
        self, frame: Any, cache_entry: Any, frame_state: Any, whole: bool, known: Optional[Known] = None
    ) -> tuple[Any, Any]:
        """Trace until no site that cannot be proved is left; returns (result, None) or (None, error).

        What is known from earlier runs is forgotten if the first trace fails.
        """
        if whole and not self.record.calls_random:
            trace_state.local.generator = random.getstate()
        forget_known = self.believe(known) if known is not None else None
        course = self.begin(whole, known)
        error: Any = None
        with forgotten_breaks() as forget:
            for _ in range(MAX_ATTEMPTS):
                trace = course.trace()
                with held() as records:
                    result, error = self.attempt(trace, frame, cache_entry, frame_state)
                    records = list(records)
                if error is None and whole and not trace.refusals:
                    error = not_one_graph(frame, result)
                if error is None and not trace.refusals and trace.open:
                    trace.refuse(site_of(trace.open[0][0]), "the graph breaks inside one side")
                if error is None and not trace.refusals:
                    if whole or not self.record.replays:  # else plain Dynamo would have logged them in an earlier call
                        release(records)
                    self.keep(result, trace, course)
                    return result, None
                forget()
                if faults.note(error):
                    continue
                if trace.filling:
                    self.preparation.filled = True
                    self.wait(first_line(error))
                if trace.elsewhere:
                    raise trace_state.OtherPath(trace.answers, trace.repeated, trace.crowding)
                if forget_known is not None:
                    forget_known()
                    forget_known, course = None, self.begin(whole, None)
                elif not course.goes_on(trace, error):
                    break
        return None, course.raised or error or trace_state.SiteRefused("; ".join(trace.refusals.values()))

    def begin(self, whole: bool, known: Optional[Known]) -> Course:
        """The first attempt to trace a frame."""
        symbolic = self.record.varying = self.record.varying or trace_state.local.varied
        course = Course(whole, self.off[torch.is_grad_enabled()], frozenset(self.eager), symbolic)
        course.hosts = whole and self.record.hosts
        course.items = self.record.constants < MAX_CONSTANTS
        course.fixed = course.tried = whole and (self.record.crowded or (known is not None and known.fixed))
        course.held = self.held
        course.counters = frozenset() if self.record.uncounted else frozenset(self.record.counters)
        if whole and self.course is not None and self.record.mode == "waiting":
            course.takes_up(self.course)
        self.course = course if whole and self.is_early() else None
        course.early = whole and self.is_early() and not self.preparation.filled
        course.roomy = whole and self.record.paths < MAX_PATHS and not (self.record.crowded or self.backend.bound)
        return course

    def believe(self, known: Known) -> Callable[[], None]:
        """Begin with what earlier runs have found out; returns what forgets it."""
        record, off = self.record, self.off[torch.is_grad_enabled()]
        before, sites = (record.varying, record.hosts), known.off.keys() - off.keys()
        record.varying, record.hosts = record.varying or known.symbolic, record.hosts or known.hosts
        off.update(dict.fromkeys(sites))
        trace_state.registry.refused(known.off)

        def forget() -> None:
            record.varying, record.hosts = before
            for site in sites:
                off.pop(site, None)

        return forget

    def learn(self, trace: trace_state.Trace, course: Course) -> None:
        """Keep what the next run on the same program would have to find out again."""
        if not trace.whole:
            return
        self.evidence.files |= trace.files
        refused = {site: trace_state.registry.reason(site) for site in course.off}
        fixed = trace.fixed and course.tried and not trace.crowded
        self.evidence.note(off=refused, hosts=course.hosts, fixed=fixed, symbolic=course.symbolic)
        if trace.facts is not None and not trace.fixed and not course.symbolic:
            trace.facts.steady = functools.partial(self.evidence.note, fixed=True)

    def keep(self, result: Any, trace: trace_state.Trace, course: Course) -> None:
        """Note what a trace has made that came to its end."""
        self.learn(trace, course)
        trace_state.registry.refused(course.missed)
        trace_state.registry.mended((*filter(trace_state.leaves_no_mark, trace.touched), *trace.shows))
        trace_state.registry.refused(trace.blamed)
        self.record.calls_random |= trace.calls_random
        self.record.constants += trace.constants
        self.held.update(trace.held)
        self.record.counters |= trace.written
        self.record.uncounted |= course.uncounted
        self.record.crowded |= trace.fixed and trace.symbols > MOST
        if trace.fixed and course.bound:
            self.backend.bound.add(torch.is_grad_enabled())
        self.eager |= course.eager
        self.record.hosts |= course.hosts
        if trace.answers is not None:
            self.backend.answers, self.backend.chances = trace.answers, trace.chances
            self.backend.facts.add(trace.route(()))
        self.backend.folds |= trace.fixed
        if trace.work is not None:
            note_postponing(result.guarded_code.code)
            trace.work.undoes, trace.work.fills = trace.changes or not trace.bare, trace.fills
            trace.work.receivers = trace.receivers

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
            trace.surroundings = surroundings()
            with contextlib.ExitStack() as stack:
                stack.enter_context(collected_later())
                stack.enter_context(torch_names.dynamo_config.patch(CAPTURE if trace.whole else {}))
                stack.enter_context(hooks.in_force(trace))
                return self.inner(frame, cache_entry, frame_state), None
        except Exception as error:
            return None, error
        finally:
            trace_state.local.trace = trace.path = None
            forget_strictness(self._torchdynamo_orig_backend)
            _current_scope_id.value = scope
            _set_error_on_graph_break(strict)


def left_alone() -> Any:
    """What tells Dynamo to run a frame as it is, and to go on with what the frame calls.

    Functions of the runtime are traced as parts of what calls them. Run in eager Python, they belong to such a caller.
    """
    from ..base.torch_names import ConvertFrameReturn, FrameAction, FrameExecStrategy

    return ConvertFrameReturn(frame_exec_strategy=FrameExecStrategy(FrameAction.SKIP, FrameAction.DEFAULT))


def ran_once() -> Any:
    """What tells Dynamo to run a frame as it is this time, so that what it raises is Python's own."""
    from ..base.torch_names import ConvertFrameReturn

    return ConvertFrameReturn()


def is_refusal(error: Exception) -> bool:
    """Whether an error is what Dynamo or the backend says about a program, and no fault of theirs."""
    internal = isinstance(error, torch_names.InternalTorchDynamoError)
    return isinstance(error, torch_names.TorchDynamoException) and not internal


def forget_strictness(convert: Any) -> None:
    """Undo what Dynamo remembers of the last conversion: when it gives up early it judges by the one before."""
    box = getattr(getattr(convert, "_inner_convert", None), "_box", None)
    if box is not None:
        box.error_on_graph_break = False


def not_one_graph(frame: Any, result: Any) -> Optional[Exception]:
    """Why a converted frame does not hold a whole call, None if it does or if it only forwards a call."""
    guarded = getattr(result, "guarded_code", None)
    if guarded is None:
        if frame.f_code.co_filename.startswith(folders.TORCH):
            return None
        return RuntimeError(getattr(result, "skip_reason", None) or "frame skipped")
    if any(name.startswith(("__resume_at", "torch_dynamo_resume_in")) for name in guarded.code.co_names):
        return RuntimeError("graph break")
    return None


def forwards(code: Any) -> bool:
    """Whether a function of torch itself only hands its call on."""
    return (
        code.co_filename.startswith(folders.TORCH) and (os.path.basename(code.co_filename), code.co_name) in FORWARDERS
    )


def is_first_frame(caller: Any) -> bool:
    """Whether only functions that hand the call on are between the wrapper and the frame about to run."""
    compiled = torch_names.output_codes
    while caller is not None:
        code = caller.f_code
        if code is WRAPPER_CODE:
            return True
        if code in compiled:
            return False
        if code.co_filename != __file__ and not forwards(code):
            return False
        caller = caller.f_back
    return False


def runs_beside(code: Any, entry: Any) -> bool:
    """Whether a frame is none of the call's: finalizers and callbacks run where the garbage collector happens to."""
    if code is entry or forwards(code):
        return False
    if watches(code, sys.getprofile()) or watches(code, sys.gettrace()):
        return True
    finalizes = code.co_name == "__del__" or is_pythons_own(code.co_filename)
    return finalizes or torch_names.is_skipped_code(code)


def watches(code: Any, watcher: Any) -> bool:
    """Whether code is what Python calls for a profiler or debugger: a function, a method, or an object with a call."""
    if watcher is None:
        return False
    function = getattr(watcher, "__func__", watcher)
    if not hasattr(function, "__code__"):
        function = getattr(type(watcher).__call__, "__func__", type(watcher).__call__)
    return getattr(function, "__code__", None) is code


def run_eagerly(function: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
    """Run a call in eager Python."""
    set_eval_frame = torch_names.set_eval_frame
    prior = set_eval_frame(None)
    try:
        return function(*args, **kwargs)
    finally:
        set_eval_frame(prior)


def has_hooks(module: torch.nn.Module) -> bool:
    """Whether calling a module runs more than its forward function."""
    everywhere = torch.nn.modules.module
    return bool(
        module._forward_hooks
        or module._forward_pre_hooks
        or module._backward_hooks
        or module._backward_pre_hooks
        or everywhere._global_forward_hooks
        or everywhere._global_forward_pre_hooks
        or everywhere._global_backward_hooks
        or everywhere._global_backward_pre_hooks
    )


@dataclasses.dataclass(frozen=True)
class Way:
    """A whole way to run a callable. Its graphs follow one path through the decisions of the program."""

    run: Callable[..., Any]
    backend: Any

    def may_hold(self, known: tuple[bool, ...]) -> bool:
        """Whether its path begins with these answers; who knows where its graphs do not ask for some of them."""
        answers = self.backend.answers
        return answers is not None and (self.backend.folds or answers[: len(known)] == known)

    def has_room(self, facts: Any) -> bool:
        """Whether a graph that rests on these facts may stand beside its graphs (None: any)."""
        return facts is None or self.backend.facts == {facts}


@dataclasses.dataclass
class Failure:
    """Why a call has to be run again: `ran` on another path, or not at all for want of a graph.

    `answers` is what is known of the call's path: its beginning if it ran, all of it if it did not.
    `path` is that of the graph which ran; `facts` is what a graph rests on that may not stand beside those of its way.
    """

    ran: bool
    restore: Optional[Callable[[], None]]
    answers: Optional[tuple[bool, ...]]
    path: Any = None
    facts: Any = None
    stopped: Any = None  # an effect that has raised an exception
    hopeless: bool = False


@dataclasses.dataclass(frozen=True)
class Break:
    """Why a call is not one graph: the program `raises`, or prepares what the next call finds, to be traced `again`."""

    raises: bool
    again: bool


class Ways:
    """The ways to run one compiled callable.

    `paths` holds the whole ways: one, and more where the program decides on data. `likely` is the one that ran last.
    `left` holds the gradient modes in which the whole way failed.
    """

    def __init__(
        self,
        whole: Way,
        make_path: Callable[[int], Way],
        make_partial: Callable[[], Callable[..., Any]],
        callback: Callback,
    ) -> None:
        self.only = callback.only
        self.evidence = callback.evidence
        self.paths = [whole]
        self.likely = whole
        self.make_path = make_path
        self.make_partial = make_partial
        self.left: set[bool] = set()
        self.record = callback.record
        self.made: Optional[Callable[..., Any]] = None
        self.calls = 0
        self.wasted = 0
        self.met: collections.Counter[tuple[bool, ...]] = collections.Counter()  # paths by chance

    def fail(self, raises: bool) -> None:
        """Note that a call is not one graph. Where others are, it is taken for the exception."""
        if raises or self.record.mode == "whole":
            self.waste()
            return
        self.left.add(torch.is_grad_enabled())
        self.record.mode = "partial"

    def waste(self) -> None:
        """Note that a graph ran for nothing. Where that is no exception, the frames are compiled one by one."""
        self.wasted += 1
        if self.wasted > MAX_WASTED and self.wasted * WASTE_RATIO > self.calls:
            self.leave(SELDOM)
            self.evidence.note(left=SELDOM)

    def leave(self, reason: str) -> None:
        """Compile the frames one by one from now on, unless the user wants one graph or an error."""
        if not self.only:
            self.left.add(torch.is_grad_enabled())
            self.record.mode = "partial"
            self.record.reason = reason

    def partial(self) -> Callable[..., Any]:
        """The partial way, made when first needed."""
        if self.made is None:
            self.made = self.make_partial()
        return self.made

    def fresh(self, tried: set[Way], known: tuple[bool, ...]) -> Optional[Way]:
        """A way without a path so far; None if there are too many ways, or if chance has seldom led to this path.

        `known` is how the path begins, up to where it leaves that of another way.
        """
        for way in self.paths:
            if way.backend.answers is None and way not in tried:
                return way
        if self.is_varied():
            self.leave(VARIED)
            self.evidence.note(left=VARIED)
            return None
        if len(self.paths) == MAX_PATHS or self.is_seldom(known):
            return None
        self.paths.append(self.make_path(len(self.paths)))
        self.record.paths = len(self.paths)
        return self.paths[-1]

    def is_seldom(self, known: tuple[bool, ...]) -> bool:
        """Whether a path is one of many that random numbers lead to, and has not been met often.

        Where layers are dropped at random there are more paths than calls that repeat one.
        """
        chances = [way.backend.chances for way in self.paths if len(way.backend.chances) >= len(known) > 0]
        if not any(sum(way) > 1 and way[len(known) - 1] for way in chances):
            return False
        self.met[known] += 1
        return self.met[known] < OFTEN

    def is_varied(self) -> bool:
        """Whether there are as many ways for sets of numbers as there may be."""
        mode = torch.is_grad_enabled()
        sets = collections.Counter(way.backend.answers for way in self.paths if mode in way.backend.bound)
        return (self.record.crowded and len(self.paths) >= MAX_SETS) or max(sets.values(), default=0) >= MAX_SETS

    def rerun(self, failure: Failure, function: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
        """Run a call again, on whichever path it takes, or in eager Python."""
        search = Search(self)
        try:
            return self.searched(search, failure, function, args, kwargs)
        finally:
            trace_state.local.spared = 0

    def searched(
        self, search: Search, failure: Failure, function: Callable[..., Any], args: tuple, kwargs: dict
    ) -> Any:
        """The result of a call on the path that a search finds."""
        way: Optional[Way] = self.likely

        def eagerly() -> Any:
            return self.run_eagerly(function, args, kwargs)

        while True:
            if failure.hopeless:
                self.leave(VARIED)
                self.evidence.note(left=VARIED)
                search.over = True
            search.note(way, failure)
            way = search.next()
            if way is None:
                return self.run_eagerly(function, args, kwargs)
            trace_state.local.known, trace_state.local.tracing, trace_state.local.failed = (
                search.known,
                search.tracing,
                search.failed,
            )
            trace_state.local.varied = search.varied
            try:
                result = run_way(way.run, eagerly, args, kwargs)
            except trace_state.GuardFailed as failed:
                failure = Failure(True, failed.restore, failed.answers, failed.path, hopeless=failed.hopeless)
            except trace_state.OtherPath as failed:
                failure = Failure(False, None, failed.answers, facts=failed.facts)
                search.over = failed.repeated
            else:
                self.likely = way
                if not search.tracing:
                    for _ in range(len(search.tried) - trace_state.local.spared):
                        self.waste()
                return result
            finally:
                trace_state.local.known, trace_state.local.tracing, trace_state.local.failed = (), False, ()
                trace_state.local.varied = False

    def recover(self, failure: Union[Failure, Break], function: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
        """Run a call again that has failed, or that is not one graph."""
        if isinstance(failure, Failure):
            if failure.stopped is not None:
                return run_again(failure.stopped, lambda: self.run_eagerly(function, args, kwargs))
            try:
                return self.rerun(failure, function, args, kwargs)
            except trace_state.NotWhole:
                pass
            return self.run_eagerly(function, args, kwargs)  # its own path is no graph, others are
        if failure.again:
            return run_eagerly(function, args, kwargs)
        self.fail(failure.raises)
        if not failure.raises or (self.left and torch.is_grad_enabled() in self.left):
            return self.partial()(*args, **kwargs)
        result = self.run_eagerly(function, args, kwargs)
        self.leave("its trace raises an exception that the program does not raise")
        return result

    def run_eagerly(self, function: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
        """Run a call in eager Python, what ran of it before having been for nothing."""
        self.record.replays += 1
        result = run_eagerly(function, args, kwargs)
        self.waste()
        return result


class Search:
    """The search for the way of one call.

    `known` is how the path of the call begins as far as graphs have told. A way in `tried` holds a wrong graph for the
    call, one in `absent` none; where no other is left, one is traced. `failed` holds the paths of the wrong graphs;
    `varied` tells that numbers, and not decisions, have shown one of them to be wrong. `facts` is what the graph of the
    call rests on, where it may stand only beside others that do.
    """

    def __init__(self, ways: Ways) -> None:
        self.ways = ways
        self.known: tuple[bool, ...] = ()
        self.complete = False
        self.tried: set[Way] = set()
        self.failed: tuple[Any, ...] = ()
        self.varied = False
        self.absent: set[Way] = set()
        self.facts: Any = None
        self.tracing = False
        self.over = False
        self.runs = 0

    def note(self, way: Way, failure: Failure) -> None:
        """Undo a run, and learn from it."""
        if failure.restore is not None:
            failure.restore()
        self.runs += 1
        self.over |= self.runs == MAX_RUNS or (failure.ran and failure.answers is None)
        if failure.ran:
            self.tried.add(way)
            self.failed += (failure.path,)
            self.varied |= not failure.answers and any(isinstance(part, str) for part in failure.path or ())
        elif failure.answers is None:
            self.absent.add(way)
        else:
            self.complete = True
            self.facts = failure.facts
        if failure.answers is not None and (self.complete or len(failure.answers) > len(self.known)):
            self.known = failure.answers

    def next(self) -> Optional[Way]:
        """The next way to run or to trace; None if the call has to run in eager Python."""
        if self.over:
            return None
        found = [way for way in self.ways.paths if way not in self.tried and way.may_hold(self.known)]
        if self.complete:
            found = [way for way in found if way.backend.answers == self.known and way.has_room(self.facts)]
        untried = [] if self.complete else [way for way in found if way not in self.absent]
        self.complete, self.tracing = False, not untried
        return (untried or found or [self.ways.fresh(self.tried, self.known)])[0]


def settle(error: BaseException) -> Optional[trace_state.GuardFailed]:
    """Leave no deferred work of a call that an error has ended; what to raise in place of the error, if anything.

    The code that Dynamo puts around the graph may raise too, such as the failing access to an attribute. The deferred
    work of the call is lost then, so the call is run again. Nor may anything of a call that was interrupted come out
    of the next one.
    """
    local = trace_state.local
    undo = None
    if isinstance(error, Exception):
        undo = local.pending or (nothing if is_of_postponing_code(error) else None)
        if undo is None:
            return None
    local.waiting[0] = local.pending = None
    return undo and trace_state.GuardFailed(undo)


def note_postponing(code: Any) -> None:
    """Note the code around a graph that hands work over, for as long as it lives."""
    number = id(code)
    postponing[number] = weakref.ref(code, lambda _: postponing.pop(number, None))


def is_of_postponing_code(error: BaseException) -> bool:
    """Whether an error was raised by code around a graph that hands work over."""
    trace = error.__traceback__
    while trace is not None:
        if id(trace.tb_frame.f_code) in postponing:
            return True
        trace = trace.tb_next
    return False


def run_way(way: Callable[..., Any], eagerly: Callable[[], Any], args: tuple, kwargs: dict) -> Any:
    """Run a call on one path, then its deferred work; raises GuardFailed if it has to be run in another way."""
    try:
        result = way(*args, **kwargs)
    except BaseException as error:
        failed = settle(error)
        if failed is None:
            raise
    else:
        after = carry_out(trace_state.local.waiting)
        if after is None:
            return result
        return after.fill(result) if type(after) is Fills else run_again(after, eagerly)
    raise failed


def failure_of(error: BaseException) -> Union[Failure, Break, None]:
    """What an error says of a call: why it has to be run again, or why it is not one graph; None for an error of the
    program."""
    error = settle(error) or error
    if isinstance(error, trace_state.GuardFailed):
        return Failure(True, error.restore, error.answers, error.path, None, error.stopped, error.hopeless)
    if isinstance(error, trace_state.OtherPath):
        return Failure(False, None, error.answers, facts=error.facts)
    return Break(error.raises, error.again) if isinstance(error, trace_state.NotWhole) else None


def wrap(ways: Ways, function: Callable[..., Any], module: Optional[torch.nn.Module]) -> Callable[..., Any]:
    """The callable that the user gets. It is on the way of every call, so it does little itself, like `run_way`."""
    whole, left, record, local = ways.paths[0].run, ways.left, ways.record, trace_state.local

    @functools.wraps(whole)
    def call(*args: Any, **kwargs: Any) -> Any:
        if replays and local.replay is not None:
            return run_eagerly(function, args, kwargs)
        if (left and torch.is_grad_enabled() in left) or (module is not None and has_hooks(module)):
            return ways.partial()(*args, **kwargs)
        ways.calls += 1
        if record.calls_random:
            local.generator = random.getstate()
        try:
            result = ways.likely.run(*args, **kwargs)
        except BaseException as error:
            failure = failure_of(error)
            if failure is None:
                raise
        else:
            waiting = local.waiting
            if waiting[0] is None:
                if record.calls_random:
                    local.pending = None
                return result
            after = carry_out(waiting)
            if after is None:
                return result
            if type(after) is Fills:
                return after.fill(result)
            return run_again(after, lambda: ways.run_eagerly(function, args, kwargs))
        return ways.recover(failure, function, args, kwargs)

    call._torchdynamo_wrapper_id = id(call)  # type: ignore[attr-defined]
    call.__wrapped__ = getattr(whole, "__wrapped__", function)  # type: ignore[attr-defined]
    return call


def _wrapper_code() -> Any:
    """The code object shared by all wrappers."""
    for constant in wrap.__code__.co_consts:
        if getattr(constant, "co_name", None) == "call":
            return constant
    raise AssertionError("the wrapper has no code")


WRAPPER_CODE = _wrapper_code()
