"""States of torch's random generator, saved and restored by a call: `fork_rng`, `get_rng_state`, `set_rng_state`.

    with torch.random.fork_rng():
        torch.manual_seed(7)
        noise = torch.randn(3)      # drawn by the prologue

A graph cannot save a state. The prologue saves and restores the state, and draws the tensors in between, in program
order (`external_calls.py`). The graph itself may draw before and after such a block, because the block leaves the
generator unchanged, and may not draw inside.
"""

from __future__ import annotations

import functools
import threading
from typing import Any, Callable, Optional

import torch

from ..analysis import node_facts
from ..base import call_stack, hooks, trace_state
from ..base.dynamo_values import constant as run_now
from ..base.dynamo_values import inline, translator
from ..base.marker_ops import kind_of
from ..capture.path_speculation import shadow_of
from ..capture.trace_time import nested_context
from . import external_calls
from .prologue import Reading, notes
from .torch_generators import OPTIONS, constant


class States:
    """The states saved by a trace: `blocks` of open blocks, and `kept` states held by the program."""

    def __init__(self) -> None:
        self.blocks: list[Saved] = []
        self.kept: list[Saved] = []


FEATURE = hooks.Feature(__name__, hooks.GAIN, "states of the random generator that a call puts back", state=States)

LIKE = {torch.rand_like: torch.rand, torch.randn_like: torch.randn}
DRAWS = frozenset([torch.rand, torch.randn, torch.randint, torch.randperm, torch.normal, *LIKE])
OWNER = functools.partial(torch.manual_seed)  # a function of torch's default generator, for `remember_once`


class Saved:
    """A call of the prologue that saves the state of the generator; each thread has a state of its own."""

    def __init__(self, nodes: set[Any], shadow: Any) -> None:
        self.nodes = nodes  # nodes of the graph at this point
        self.shadow = shadow  # the generator state of the shadow run
        self.state = threading.local()

    def __call__(self) -> None:
        self.state.now = torch.get_rng_state()

    def put_back(self) -> None:
        """Restore the saved state."""
        torch.set_rng_state(self.state.now)


class Fork:
    """A block that leaves the generator unchanged."""

    def __enter__(self) -> None:
        begin()

    def __exit__(self, *error: Any) -> None:
        end()


def fork() -> Fork:
    """A block that leaves the generator unchanged."""
    return Fork()


# ---- Functions that Dynamo runs while tracing, and hooks ----


@run_now
def begin() -> bool:
    """Save the state at the start of a block."""
    trace, tx = trace_state.local.trace, translator().output.current_tx
    assert trace is not None
    FEATURE.of(trace).blocks.append(save(trace, tx))
    return True


@run_now
def end() -> bool:
    """Restore the state at the end of a block."""
    trace = trace_state.local.trace
    assert trace is not None
    put_back(trace, FEATURE.of(trace).blocks.pop())
    return True


def refuse(reason: str) -> None:
    """End this trace."""
    raise trace_state.SiteRefused(reason)


def site_of(tx: Any) -> str:
    """The site of the program's statement, outside of graphmend's own frames."""
    return str(call_stack.site_at(call_stack.program_frame(tx), "GM501", 1))


def save(trace: trace_state.Trace, tx: Any) -> Saved:
    """Save the state of the generator, now and in the prologue."""
    output = tx.output
    if trace.open or nested_context() is not None:
        refuse("the state of the random generator is saved inside of a side or an operator")
    if any(kind_of(node) == "event" for node in output.graph.nodes):
        refuse("what is deferred until after the call comes before the state of the random generator")
    graph_notes = notes()
    graph_notes.add(site_of(tx))
    external_calls.remember_once(graph_notes, None, OWNER)
    saved = Saved(set(output.graph.nodes), getattr(shadow_of(trace), "generators", None))
    output.random_calls.append((saved, (), {}))
    saved()
    return saved


def put_back(trace: trace_state.Trace, saved: Saved) -> None:
    """Restore a state, now and in the prologue."""
    output = translator().output
    if trace.open or nested_context() is not None:
        refuse("the state of the random generator is set inside of a side or an operator")
    if any(node not in saved.nodes and node_facts.draws(node) for node in output.graph.nodes):
        refuse("the graph draws random numbers between two states of the generator")
    saved.put_back()
    output.random_calls.append((saved.put_back, (), {}))
    shadow = shadow_of(trace)
    if shadow is not None:
        shadow.set_generators(saved.shadow)


def forks_cpu(function: Any, args: Any, kwargs: Any) -> bool:
    """Whether a call is `fork_rng` on the generator of the CPU alone."""
    if function is not torch.random.fork_rng or args or not kwargs.keys() <= {"devices"}:
        return False
    if "devices" not in kwargs:
        return not torch.cuda.is_available()
    devices = kwargs["devices"].realize()
    return bool(devices.python_type() in (list, tuple) and not devices.items)


@FEATURE.hook("function.call")
def call_fork(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Trace `fork_rng` where Dynamo would inline the function and ask for devices (torch 2.15)."""
    forks = forks_cpu(getattr(self, "fn", None), args, kwargs)
    return inline(tx, fork, [], {}) if forks else hooks.DECLINED


@FEATURE.hook("torch_function.call")
def call_fork_or_draw(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Trace `fork_rng`, and draw tensors in the prologue after a state was saved."""
    if forks_cpu(self.value, args, kwargs):
        return inline(tx, fork, [], {})
    states = FEATURE.of(trace)
    if self.value in DRAWS and (states.blocks or states.kept) and "generator" not in kwargs:
        return draw_in_prologue(self.value, tx, [item.realize() for item in args], kwargs)
    return hooks.DECLINED


def draw_in_prologue(function: Callable[..., Any], tx: Any, args: list[Any], kwargs: Any) -> Any:
    """Dynamo's variable for a tensor drawn by the prologue."""
    from ..base.torch_names import _disable_current_modes

    site = site_of(tx)
    options = {name: item.realize() for name, item in kwargs.items()}
    if not options.keys() <= OPTIONS:
        refuse("a tensor of random numbers cannot be drawn in front of the graph")
    if function in LIKE:
        draw_kwargs = like_options(args, options)
        function, draw_args = LIKE[function], [draw_kwargs.pop("size")]
    else:
        draw_args = [constant(site, tx, item) for item in args]
        draw_kwargs = {name: constant(site, tx, item) for name, item in options.items()}
    external_calls.refuse_late_seed(tx.output, site)
    with _disable_current_modes():
        value = external_calls.make_call(site, function, draw_args, draw_kwargs, "")
    if value.device.type != "cpu":
        refuse("random numbers are drawn on a device")
    reading = Reading(function, draw_args, draw_kwargs, "", None)
    reading.like = value
    return external_calls.graph_input(reading, value, False)


def like_options(args: list[Any], options: dict[str, Any]) -> dict[str, Any]:
    """The options for a draw like another tensor; its strides decide the order of the numbers."""
    if options or len(args) != 1 or not args[0].is_tensor():
        refuse("a tensor like another one cannot be drawn in front of the graph")
    value = args[0].as_proxy().node.meta["example_value"]
    if any(type(size) is not int for size in value.shape) or value.is_sparse or not value.is_contiguous():
        refuse("a tensor like one of this layout or size cannot be drawn in front of the graph")
    return {"size": list(value.shape), "dtype": value.dtype, "device": value.device}


@FEATURE.hook("skipped.call")
def call_state(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Trace `get_rng_state` and `set_rng_state`."""
    from ..base.torch_names import ConstantVariable

    if self.value is torch.random.get_rng_state and not args and not kwargs:
        saved = save(trace, tx)
        FEATURE.of(trace).kept.append(saved)
        return state_class()(saved)
    if self.value is torch.random.set_rng_state and len(args) == 1 and not kwargs:
        state = args[0].realize()
        if isinstance(state, state_class()):
            put_back(trace, state.saved)
            return ConstantVariable.create(None)
    return hooks.DECLINED


@functools.lru_cache(maxsize=None)
def state_class() -> Any:
    """Dynamo's class of variables for saved states; imported late, because Dynamo may not be loaded yet."""
    from ..base.torch_names import VariableTracker

    class State(VariableTracker):  # type: ignore[misc]
        """The variable for a result of `get_rng_state`."""

        _nonvar_fields = {"saved", *VariableTracker._nonvar_fields}

        def __init__(self, saved: Optional[Saved], **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.saved = saved

        def python_type(self) -> type:
            return torch.Tensor

        def reconstruct(self, codegen: Any) -> None:
            raise trace_state.SiteRefused("a state of the random generator leaves the call")

    return State
