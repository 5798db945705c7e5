"""The backend between Dynamo and the user's backend."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any, Callable, Optional

import torch
from torch import SymInt
from torch.fx import GraphModule

from ..analysis.marker_regions import has_markers
from ..analysis.repeated_reads import has_repeated_reads
from ..autograd import function_bodies, inner_gradients
from ..autograd.hook_runner import kept_buffers, with_hooks
from ..autograd.requires_grad_inputs import flags_held, with_flags
from ..autograd.retain_grad import refuse_leaving
from ..autograd.unused_gradients import with_reach
from ..base import timings, trace_state
from ..base.dynamo_values import translator
from ..base.gc_pause import collector_at_work
from ..base.owned_state import OwnedState
from ..capture.assumption_checks import Facts
from ..capture.assumptions import complete_graph, numbers_of, refuse_changed, route
from ..capture.compiled_numbers import computes_with_numbers
from ..capture.data_scalars import (
    compiles_gradients_early,
    compiles_numbers,
    depends_on_data,
    inexact_comparison,
    is_compiler,
    may_compile_early,
    may_have_gradients,
    mistyped_indices,
    not_compiled,
    runs_as_python,
)
from ..capture.dynamic_counters import note_written
from ..capture.growing_lists import note_grown
from ..capture.identity_guard import refuse_replaced
from ..capture.specialization import write_numbers
from ..effects import receivers
from ..effects.deferred_values import refuse_escaped
from ..effects.finalizers import refuse_finalized
from ..effects.mode_rollback import keeping_modes
from ..effects.object_writes import refuse_seen
from ..effects.redirected_output import refuse_kept, silent
from ..effects.rollback import GuardedGraph, guarded
from ..external import bypassed_caches, locks, lru_caches
from ..external.drawn_scalars import hand_out_tensors
from ..external.prologue import takes_values
from ..ops import rnn_layers
from ..passes import anomaly_mode, checkpointed_draws
from ..passes.dead_code_that_raises import unused_numbers_may_raise
from ..passes.lower import lower
from ..shims import changing_hooks, replaced_data
from ..shims.context_managers import refuse_devices
from ..shims.generator_close import refuse_unclosed
from ..shims.kept_objects import refuse_views
from ..shims.module_construction import refuse_buffers
from . import guard_filter
from .reused_memory import without_reuse

# What Dynamo asks a backend for. Copied, because `__getattr__` would be a Python frame that runs while Dynamo's hook
# looks for a cache entry, and be looked up in turn.
FORWARDED = ("backend_ctx_ctor", "compiler_fn", "compiler_name", "get_compiler_config", "kwargs", "reset")

REPEATED = "a gradient needs a value from memory that the graph writes to, which the compiler may read again afterwards"
LATE = "this release of PyTorch may compile gradients of numbers from the data too late"


@dataclasses.dataclass
class Graph:
    """The graph of one trace, and its place among the variants of the callable."""

    may_split: bool = False  # setting: the callable may get more variants
    files: set[str] = dataclasses.field(default_factory=set)  # files whose code was traced
    answers: Optional[tuple[bool, ...]] = None  # the path that the graph follows
    chances: tuple[int, ...] = ()  # the weight of chance, for each decision
    facts: Optional[Facts] = None  # the check, behind the graph, that its assumptions hold
    calls_random: bool = False  # the graph needs numbers from Python's `random`
    notes_changes: bool = True  # the graph notes how to undo what it changes
    elsewhere: bool = False  # the path is not that of the variant
    repeated: bool = False  # a graph of this path has failed for the call
    crowding: Optional[tuple[Any, ...]] = None  # facts of the graph, which may not stand in this variant


GRAPH = OwnedState(__name__, Graph)


def rests(module: GraphModule, trace: trace_state.Trace) -> bool:
    """Whether the graph of a whole call rests on more facts than Dynamo's guards check, with or without markers."""
    taken = takes_values(trace) or lru_caches.sites_of(trace) or numbers_of(trace).assumed or trace.libraries
    return bool(
        taken
        or depends_on_data(module)
        or inner_gradients.differentiates_anywhere(module)
        or unused_numbers_may_raise(module)
    )


def handing_back(compiled: Callable[..., Any], returned: dict[int, int]) -> Callable[..., Any]:
    """A compiled graph with inputs among its results; `returned` maps outputs to inputs, by position."""

    def run(*inputs: Any) -> list[Any]:
        return [inputs[returned[i]] if i in returned else value for i, value in enumerate(compiled(*inputs))]

    return run


class MendingBackend:
    """Proves and lowers the marked sites of a graph, then lets the user's backend compile it.

    Dynamo shares compiled code among callables with equal backends. Code of whole calls relies on the wrapper of the
    callable, so backends are equal only for callables with the same first code object.
    """

    def __init__(self, inner: Any, whole: bool, path: int = 0) -> None:
        self.inner = inner
        self.whole = whole
        self.path = path
        self.answers: Optional[tuple[bool, ...]] = None  # of all its graphs, once it has one
        self.chances: tuple[int, ...] = ()  # the weight of chance in each decision on its path
        self.facts: set[tuple[Any, ...]] = set()  # what each of them rests on besides
        self.size = 0  # of its largest trace: nodes, or half as many traced functions where those are more
        self.folds = False  # some have numbers as constants, so that they need not ask for what those decide
        self.bound: set[bool] = set()  # the gradient modes in which its graphs have numbers for want of symbols
        self.entry: Any = None
        for name in FORWARDED:
            if hasattr(inner, name):
                setattr(self, name, getattr(inner, name))

    def __call__(self, module: GraphModule, inputs: Any, **kwargs: Any) -> Any:
        trace = trace_state.local.trace
        if trace is None:
            return self.compile(module, inputs, kwargs)
        graph = GRAPH.of(trace)
        if trace.whole:
            traced_code = translator().output.tracing_context.traced_code
            self.size = max(self.size, len(module.graph.nodes), len(traced_code) // 2)
            graph.files.update(code.co_filename for code in traced_code)
            reason = inexact_comparison(translator().output.shape_env) or mistyped_indices(module)
            if reason is not None:
                raise trace_state.SiteRefused(reason)
            refuse_seen(trace, translator().output)
            refuse_escaped(trace, translator().output)
            refuse_kept(trace, translator().output)
            locks.refuse_kept(trace)
            refuse_replaced(module, translator().output)
            refuse_finalized(translator().output)
            refuse_views(trace, translator().output)
            receivers.refuse_seen(trace, translator().output)
            refuse_buffers(module)
            refuse_leaving(module, trace)
            replaced_data.refuse_used(module, trace)
            bypassed_caches.refuse_written(module, trace)
            note_written(trace, translator().output)
            note_grown(trace, translator().output)
            refuse_changed(module, trace)
        refuse_devices(module, trace)
        plain = not (inner_gradients.has_leaves(trace) or has_markers(module) or (trace.whole and rests(module, trace)))
        if trace.whole and (not plain or trace.touched or trace.libraries):
            changing_hooks.guard_graph()
            if is_compiler(self.inner) and may_have_gradients(module) and has_repeated_reads(module):
                raise trace_state.SiteRefused(REPEATED)
        if plain:
            if trace.whole:
                self.follow((), trace, module)
            guard_filter.drop(translator().output)
            with not_compiled(rnn_layers.not_for_compilers(trace), self.inner), collector_at_work():
                compiled = self.compile(module, inputs, kwargs)
            return silent(compiled, module, trace, False)
        refuse_unclosed(trace, translator().output)
        with timings.phase(timings.PROOFS):
            plan = lower(module, trace)
        graph.facts, graph.chances = plan.facts, plan.chances
        graph.calls_random |= plan.calls_random
        guard_filter.drop(translator().output)
        if trace.whole:
            graph.repeated = plan.route in trace_state.local.failed
            self.follow(tuple(plan.expected[1:]), trace, module)
        if numbers_of(trace).fixed and write_numbers(module, trace):
            plan.carried = False
        if plan.numbers:
            hand_out_tensors(module, everywhere=True)
        reason = computes_with_numbers(module) if plan.numbers else None
        if plan.single:
            reason = "Dynamo hands over the numbers of `random` in double precision, and tells that they are in single"
        has_gradients = plan.carried and may_have_gradients(module)
        is_early = has_gradients and may_compile_early()
        late = LATE if has_gradients and not is_early else None
        unfit = reason or late or rnn_layers.not_for_compilers(trace)
        if unfit is None and trace.whole and inner_gradients.bodies_differentiate(module):
            unfit = function_bodies.HOOKS
        if unfit is not None and compiles_numbers(self.inner):
            raise trace_state.SymbolsRefused(unfit)
        refused = not_compiled(unfit, self.inner)
        early = compiles_gradients_early() if is_early else contextlib.nullcontext()
        with early, kept_buffers(plan.hooks), flags_held(inputs, plan.flags), refused, collector_at_work():
            compiled = self.compile(module, inputs, kwargs)
        if anomaly_mode.has_choices(module) and not is_compiler(self.inner):
            compiled = anomaly_mode.respecting_anomaly_mode(module, compiled)
        if runs_as_python(module, compiled):
            plan.fresh = []
        elif reason is not None:
            raise trace_state.SymbolsRefused(reason)
        if trace.whole and inner_gradients.differentiates_anywhere(module):
            compiled = inner_gradients.undisturbed(compiled, module, plan.guarded)
        compiled = silent(compiled, module, trace, plan.guarded)
        if plan.returned and compiled is not module:
            compiled = handing_back(compiled, plan.returned)
        trace_state.registry.mended(plan.sites)
        if plan.reach is not None and compiled is not module:
            compiled = with_reach(compiled, plan.reach)
        if plan.hooks is not None:
            compiled = with_hooks(compiled, plan.hooks)
        if not plan.guarded:
            return compiled
        run = guarded(compiled, plan)
        graph.notes_changes = isinstance(run, GuardedGraph)
        run = keeping_modes(run, module)
        return with_flags(run, plan.flags) if plan.flags else run

    def compile(self, module: GraphModule, inputs: Any, kwargs: dict[str, Any]) -> Any:
        """What the user's backend makes of a graph."""
        trace = trace_state.local.trace
        reuse: contextlib.AbstractContextManager[object] = contextlib.nullcontext()
        if trace is not None and trace.whole:
            complete_graph(trace)
            if is_compiler(self.inner):
                reuse = without_reuse(module)
        if not is_compiler(self.inner):
            checkpointed_draws.restore_generators(module)
        with timings.phase(timings.BACKEND), reuse:
            return self.inner(module, inputs, **kwargs)

    def follow(self, answers: tuple[bool, ...], trace: trace_state.Trace, module: GraphModule) -> None:
        """Make sure that all graphs of a variant follow the same path.

        With open sizes, graphs with different assumptions get variants of their own while there is room: Dynamo tries
        the latest graph first, also for calls of an earlier graph.
        """
        graph = GRAPH.of(trace)
        graph.answers = answers
        other = self.answers not in (None, answers) or graph.repeated
        facts = route(trace, ())
        if not other and graph.may_split and facts and self.facts - {facts} and leaves_sizes_open(module):
            graph.crowding = facts
        if other or graph.crowding is not None:
            graph.elsewhere = True
            raise trace_state.SiteRefused("the call takes another path")

    def adopt(self, trace: trace_state.Trace, bound: bool) -> None:
        """Note a kept graph. `bound`: its numbers are constants because the compiler accepts no symbols."""
        graph, fixed = GRAPH.of(trace), numbers_of(trace).fixed
        if fixed and bound:
            self.bound.add(torch.is_grad_enabled())
        if graph.answers is not None:
            self.answers, self.chances = graph.answers, graph.chances
            self.facts.add(route(trace, ()))
        self.folds |= fixed

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, MendingBackend)
            and self.whole == other.whole
            and self.path == other.path == 0
            and self.entry is other.entry
            and (self.inner is other.inner or self.inner == other.inner)
        )

    def __hash__(self) -> int:
        return hash((MendingBackend, self.whole, self.path, id(self.entry)))


def leaves_sizes_open(module: GraphModule) -> bool:
    """Whether a graph has symbolic sizes or integers as inputs."""
    inputs = (node.meta.get("example_value") for node in module.graph.nodes if node.op == "placeholder")
    return any(isinstance(value, SymInt) for value in inputs)
