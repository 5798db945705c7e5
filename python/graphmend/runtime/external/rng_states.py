"""States of torch's random generator that a call saves and puts back: `fork_rng`, `get_rng_state`, `set_rng_state`.

    with torch.random.fork_rng():
        torch.manual_seed(7)
        noise = torch.randn(3)

A graph cannot save a state. The state is saved and put back in front of the graph, where tensors in between are drawn,
too, in the order of the program (external_calls.py). The graph itself may draw before and after such a block, which
leaves the generator as it was, and not inside.
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
    """The states that a trace has saved: `blocks` are open, `kept` has what the program holds."""

    def __init__(self) -> None:
        self.blocks: list[Saved] = []
        self.kept: list[Saved] = []


FEATURE = hooks.Feature(__name__, hooks.GAIN, "states of the random generator that a call puts back", state=States)

LIKE = {torch.rand_like: torch.rand, torch.randn_like: torch.randn}
DRAWS = frozenset([torch.rand, torch.randn, torch.randint, torch.randperm, torch.normal, *LIKE])
OWNER = functools.partial(torch.manual_seed)  # stands for the generator that everything shares


class Saved:
    """A call in front of a graph that saves the state of the generator, in each thread for itself."""

    def __init__(self, nodes: set[Any], shadow: Any) -> None:
        self.nodes = nodes  # of the graph when the state is saved
        self.shadow = shadow  # the state for the graph that foretells the path
        self.state = threading.local()

    def __call__(self) -> None:
        self.state.now = torch.get_rng_state()

    def put_back(self) -> None:
        """Have the generator go on from the state."""
        torch.set_rng_state(self.state.now)


class Fork:
    """A block that leaves the generator as it was."""

    def __enter__(self) -> None:
        begin()

    def __exit__(self, *error: Any) -> None:
        end()


def fork() -> Fork:
    """A block that leaves the generator as it was."""
    return Fork()


# ---- While a call is traced ----


@run_now
def begin() -> bool:
    """Save the state at the beginning of a block."""
    trace, tx = trace_state.local.trace, translator().output.current_tx
    assert trace is not None
    FEATURE.of(trace).blocks.append(save(trace, tx))
    return True


@run_now
def end() -> bool:
    """Put the state back at the end of a block."""
    trace = trace_state.local.trace
    assert trace is not None
    put_back(trace, FEATURE.of(trace).blocks.pop())
    return True


def refuse(reason: str) -> None:
    """End this trace."""
    raise trace_state.SiteRefused(reason)


def site_of(tx: Any) -> str:
    """The name of the place in the program."""
    while call_stack.is_ours(tx.f_code) and tx.parent is not None:
        tx = tx.parent
    return str(call_stack.site_at(tx, "GM501", 1))


def save(trace: trace_state.Trace, tx: Any) -> Saved:
    """Save the state of the generator, now and whenever the graph is about to run."""
    output = tx.output
    if trace.open or nested_context() is not None:
        refuse("the state of the random generator is saved inside of a side or an operator")
    if any(kind_of(node) == "event" for node in output.graph.nodes):
        refuse("what is deferred until after the call comes before the state of the random generator")
    found = notes()
    found.add(site_of(tx))
    external_calls.remember_once(found, None, OWNER)
    saved = Saved(set(output.graph.nodes), getattr(shadow_of(trace), "generators", None))
    output.random_calls.append((saved, (), {}))
    saved()
    return saved


def put_back(trace: trace_state.Trace, saved: Saved) -> None:
    """Put a state back, now and whenever the graph is about to run."""
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
    """Whether a call is that of `fork_rng`, and about the generator of the CPU alone."""
    if function is not torch.random.fork_rng or args or not kwargs.keys() <= {"devices"}:
        return False
    if "devices" not in kwargs:
        return not torch.cuda.is_available()
    devices = kwargs["devices"].realize()
    return bool(devices.python_type() in (list, tuple) and not devices.items)


@FEATURE.hook("function.call")
def call_fork(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """`fork_rng` where Dynamo looks into it (torch 2.15), and would ask which devices there are."""
    forks = forks_cpu(getattr(self, "fn", None), args, kwargs)
    return inline(tx, fork, [], {}) if forks else call(self, tx, args, kwargs)


@FEATURE.hook("torch_function.call")
def call_fork_or_draw(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """`fork_rng`, and what is drawn where a state has been saved."""
    if forks_cpu(self.value, args, kwargs):
        return inline(tx, fork, [], {})
    states = FEATURE.of(trace)
    if self.value in DRAWS and (states.blocks or states.kept) and "generator" not in kwargs:
        return drawn(self.value, tx, [item.realize() for item in args], kwargs)
    return call(self, tx, args, kwargs)


def drawn(function: Callable[..., Any], tx: Any, args: list[Any], kwargs: Any) -> Any:
    """Dynamo's variable of a tensor that is drawn in front of the graph."""
    from ..base.torch_names import _disable_current_modes

    site = site_of(tx)
    options = {name: item.realize() for name, item in kwargs.items()}
    if not options.keys() <= OPTIONS:
        refuse("a tensor of random numbers cannot be drawn in front of the graph")
    if function in LIKE:
        named = like(args, options)
        function, given = LIKE[function], [named.pop("size")]
    else:
        given = [constant(site, tx, item) for item in args]
        named = {name: constant(site, tx, item) for name, item in options.items()}
    external_calls.refuse_late_seed(tx.output, site)
    with _disable_current_modes():
        value = external_calls.made(site, function, given, named, "")
    if value.device.type != "cpu":
        refuse("random numbers are drawn on a device")
    reading = Reading(function, given, named, "", None)
    reading.like = value
    return external_calls.graph_input(reading, value, False)


def like(args: list[Any], options: dict[str, Any]) -> dict[str, Any]:
    """The options with which a tensor like another one is drawn; strides decide the order of the numbers."""
    if options or len(args) != 1 or not args[0].is_tensor():
        refuse("a tensor like another one cannot be drawn in front of the graph")
    value = args[0].as_proxy().node.meta["example_value"]
    if any(type(size) is not int for size in value.shape) or value.is_sparse or not value.is_contiguous():
        refuse("a tensor like one of this layout or size cannot be drawn in front of the graph")
    return {"size": list(value.shape), "dtype": value.dtype, "device": value.device}


@FEATURE.hook("skipped.call")
def call_state(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """`get_rng_state` and `set_rng_state`."""
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
    return call(self, tx, args, kwargs)


@functools.lru_cache(maxsize=None)
def state_class() -> Any:
    """The class of Dynamo's variables for saved states; made late because Dynamo is loaded late."""
    from ..base.torch_names import VariableTracker

    class State(VariableTracker):  # type: ignore[misc]
        """A state that `get_rng_state` has given."""

        _nonvar_fields = {"saved", *VariableTracker._nonvar_fields}

        def __init__(self, saved: Optional[Saved], **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.saved = saved

        def python_type(self) -> type:
            return torch.Tensor

        def reconstruct(self, codegen: Any) -> None:
            raise trace_state.SiteRefused("a state of the random generator leaves the call")

    return State
