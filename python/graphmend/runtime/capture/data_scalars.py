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
from typing import Any, Iterator, Optional

import torch
from torch.fx import GraphModule, Node

from ..base import hooks, trace_state
from .dialect import EXACT

# Settings of Dynamo for whole calls. A call that cannot be traced with symbolic numbers is compiled frame by frame with
# the user's settings.
CAPTURE = {"capture_scalar_outputs": True, "capture_dynamic_output_shape_ops": True}

COMPILERS = ("inductor", "aot_eager", "cudagraphs")  # values of `torch.compile(backend=...)`


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


def is_compiler(backend: Any) -> bool:
    """Whether the backend is a known compiler, which never returns the graph itself."""
    return getattr(backend, "compiler_name", None) in COMPILERS


@contextlib.contextmanager
def not_compiled(reason: Optional[str]) -> Iterator[None]:
    """Refuse a graph for a reason as soon as the called backend starts to compile; no reason allows every backend.

    A backend of the user may compile or not, and only its call shows which.
    """

    def refusing(create: Any, *args: Any, **kwargs: Any) -> Any:
        if trace_state.local.trace is None:
            return create(*args, **kwargs)  # a compilation of another thread
        raise trace_state.SymbolsRefused(reason)

    with hooks.replaced("compiler.start", refusing) if reason is not None else contextlib.nullcontext():
        yield


def runs_as_python(module: GraphModule, compiled: Any) -> bool:
    """Whether a backend returned the graph itself, which computes with Python's numbers."""
    return compiled is module or getattr(compiled, "__self__", None) is module


COMPARISONS = frozenset(["lt", "le", "gt", "ge", "eq", "ne", "sym_ite", "sym_not"])
SCALED = frozenset(
    ["add", "sub", "mul", "truediv", "pow", "full", "full_like", "new_full", "masked_fill", "where", "clamp"]
)
SIZED = frozenset(["zeros", "ones", "empty", "full", "new_zeros", "new_ones", "new_full", "view", "reshape", "narrow"])


def computes_with_numbers(module: GraphModule) -> Optional[str]:
    """The reason why compiled code may compute another number than Python, or miss an exception; None if it cannot.

    Numbers fetched from tensors may only be compared and handed to tensor operators. Sizes that depend on data are
    small, and arithmetic on sizes is exact.
    """
    fetched: set[Node] = set()
    for node in module.graph.nodes:
        value = node.meta.get("example_value")
        name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
        if name == "item":
            fetched.add(node)
            continue
        operands = [source for source in node.all_input_nodes if source in fetched]
        if not operands or node.op == "output" or name.startswith("_assert_scalar"):
            continue
        if isinstance(value, NUMBERS):
            fetched.add(node)
            is_allowed = name in COMPARISONS
        else:
            if name == "scalar_tensor" and all(is_single(source) for source in operands):
                continue  # Dynamo returns a number from the graph this way; compilers may use single precision
            all_floats = all(isinstance(source.meta["example_value"], torch.SymFloat) for source in operands)
            is_allowed = name in SCALED if all_floats else name in SIZED | {"add", "sub", "mul"}
        if not is_allowed:
            return f"a number from a tensor goes through `{name}`"
    return None


def is_single(number: Node) -> bool:
    """Whether a node fetches a number from a tensor of single or lower precision."""
    source = number.args[0] if number.target == "item" else None
    value = source.meta.get("example_value") if isinstance(source, Node) else None
    return isinstance(value, torch.Tensor) and value.dtype in (torch.float32, torch.float16, torch.bfloat16)


NUMBERS = (torch.SymInt, torch.SymFloat, torch.SymBool)
