"""Rules for data-dependent numbers and sizes in the graph of a whole call.

    scale = x.max().item()          # a number of the graph
    if scale > 1:                   # comparisons are exact
        x = x * (int(scale) // 3)   # compiled arithmetic on the number may differ from Python's

Python's integers have no limit, its floats are double precision, and division by zero raises. A compiler promises none
of these. Arithmetic on floats is therefore handed to Python's operators (`ops/number_arithmetic.py`); graphs with other
arithmetic are refused for compilers, and allowed where the backend returns the graph itself.
"""

from __future__ import annotations

import contextlib
import types
import weakref
from typing import Any, Iterator, Optional

import torch
from torch.fx import GraphModule

from ..base import hooks, torch_names, trace_state
from .dialect import EXACT

# Settings of Dynamo for whole calls. A call that cannot be traced with symbolic numbers is compiled frame by frame with
# the user's settings.
CAPTURE = {"capture_scalar_outputs": True, "capture_dynamic_output_shape_ops": True}

NUMBERS = (torch.SymInt, torch.SymFloat, torch.SymBool)

COMPILERS = ("inductor", "aot_eager", "cudagraphs")  # values of `torch.compile(backend=...)`
compiling: weakref.WeakSet[types.FunctionType] = weakref.WeakSet()  # backends that have begun to compile

EARLY = "force_non_lazy_backward_lowering"


def depends_on_data(module: GraphModule) -> bool:
    """Whether numbers or sizes of the graph are known only when the graph runs.

    The run checks the assumptions of the trace about these numbers; a broken assumption makes the call run again in
    eager Python. `item` nodes count, too: Dynamo knows a number in an argument, but the graph fetches it from the
    tensor again.
    """
    return any(node.meta.get("unbacked_bindings") or node.target == "item" for node in module.graph.nodes)


def carried(module: GraphModule) -> bool:
    """Whether tensors of the graph are computed from data-dependent numbers, or have data-dependent sizes."""
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

    def holds_number(value: Any) -> bool:
        return isinstance(value, NUMBERS) and bool(free_unbacked_symbols(value))

    for node in module.graph.nodes:
        value = node.meta.get("example_value")
        if isinstance(value, torch.Tensor):
            operands = [source.meta.get("example_value") for source in node.all_input_nodes]
            if free_unbacked_symbols(value) or any(map(holds_number, operands)):
                return True
        elif isinstance(value, (tuple, list)) and free_unbacked_symbols(value):
            return True
    return any(holds_number(node.meta.get("example_value")) for node in module.graph.output_node().all_input_nodes)


def may_have_gradients(module: GraphModule) -> bool:
    """Whether an output of the graph requires a gradient."""
    values = (node.meta.get("example_value") for node in module.graph.output_node().all_input_nodes)
    return any(isinstance(value, torch.Tensor) and value.requires_grad for value in values)


def compiles_gradients_early() -> contextlib.AbstractContextManager[None]:
    """A context in which AOTAutograd compiles the backward graph together with the forward graph.

    By default AOTAutograd may wait for the backward pass. There a failed compilation is an error of the program, too
    late for constants in place of the numbers.
    """
    context: contextlib.AbstractContextManager[None] = torch_names.functorch_config.patch({EARLY: True})
    return context


def may_compile_early() -> bool:
    """Whether this release of PyTorch has the setting for early backward graphs."""
    return hasattr(torch_names.functorch_config, EARLY)


def inexact_comparison(shapes: Any) -> Optional[str]:
    """The reason why guards of a trace may answer a comparison differently from Python; None if all guards are exact.

    Python compares an integer with a float exactly; Dynamo and its guards round the integer. Numbers below 2**53 need
    no rounding, and no larger integer is rounded across a smaller number.
    """
    from ..base.torch_names import ToFloat

    for guard in shapes.guards:
        if guard.expr.has(ToFloat) and any(abs(number) >= EXACT for number in guard.expr.atoms() if number.is_number):
            return "a number from a tensor is compared with a number that is too large"
    return None


def mistyped_indices(module: GraphModule) -> Optional[str]:
    """The reason why a dtype in the trace differs from the dtype in the call; None without a difference.

    `torch.unique` returns counts and inverse indices as integers. Traces of PyTorch 2.9 have the dtype of the values
    there.
    """
    for node in module.graph.nodes:
        values = node.meta.get("example_value") if "unbacked_bindings" in node.meta else None
        if isinstance(values, tuple) and any(value.dtype != torch.int64 for value in values[1:]):
            return f"this release of PyTorch traces indices of `{node.target.__name__}` with a wrong dtype"
    return None


def is_compiler(backend: Any) -> bool:
    """Whether the backend is a known compiler, which never returns the graph itself."""
    return getattr(backend, "compiler_name", None) in COMPILERS


def compiles_numbers(backend: Any) -> bool:
    """Whether the backend is a known compiler, or has begun to compile a graph with numbers from the data."""
    return is_compiler(backend) or function_behind(backend) in compiling


def function_behind(backend: Any) -> Any:
    """The function that the user gave to `torch.compile`, behind the wrapper that PyTorch makes for each call."""
    function = getattr(backend, "compiler_fn", backend)
    return function if isinstance(function, types.FunctionType) else None


def note_compiler(backend: Any) -> bool:
    """Note that a backend compiles; returns whether this was not known."""
    function = function_behind(backend)
    if function is None or function in compiling:
        return False
    compiling.add(function)
    return True


@contextlib.contextmanager
def not_compiled(reason: Optional[str], backend: Any) -> Iterator[None]:
    """Refuse a graph for a reason as soon as the called backend starts to compile; no reason allows every backend.

    A backend of the user may compile or not, and only its call shows which.
    """

    def refusing(create: Any, *args: Any, **kwargs: Any) -> Any:
        if trace_state.local.trace is None:
            return create(*args, **kwargs)  # a compilation of another thread
        raise trace_state.SymbolsRefused(reason, note_compiler(backend))

    with hooks.replaced("compiler.start", refusing) if reason is not None else contextlib.nullcontext():
        yield


def runs_as_python(module: GraphModule, compiled: Any) -> bool:
    """Whether a backend returned the graph itself, which computes with Python's numbers."""
    return compiled is module or getattr(compiled, "__self__", None) is module
