"""Numbers and sizes that depend on data: what a graph that holds a whole call may do with them."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator, Optional

import torch
from torch.fx import GraphModule, Node

from ..base import hooks, trace_state
from .dialect import EXACT

# Where the rest of a call cannot be traced with such numbers, there is no such graph, and its frames are compiled one
# by one with the user's settings.
CAPTURE = {"capture_scalar_outputs": True, "capture_dynamic_output_shape_ops": True}

COMPILERS = ("inductor", "aot_eager", "cudagraphs")  # by the names that users give to torch.compile


def depends_on_data(module: GraphModule) -> bool:
    """Whether numbers or sizes in the graph are known only when it runs. What the trace assumed of them is checked
    then, and the call is run again in eager Python where it does not hold.

    Dynamo knows the number in an argument of the call, but hands on a graph that fetches it from the tensor again.
    """
    return any(node.meta.get("unbacked_bindings") or node.target == "item" for node in module.graph.nodes)


def carried(module: GraphModule) -> bool:
    """Whether tensors of the graph are computed with such numbers, or have such sizes."""
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

    def holds_number(value: Any) -> bool:
        return isinstance(value, NUMBERS) and bool(free_unbacked_symbols(value))

    for node in module.graph.nodes:
        value = node.meta.get("example_value")
        if isinstance(value, torch.Tensor):
            used = [source.meta.get("example_value") for source in node.all_input_nodes]
            if free_unbacked_symbols(value) or any(map(holds_number, used)):
                return True
        elif isinstance(value, (tuple, list)) and free_unbacked_symbols(value):
            return True
    return any(holds_number(node.meta.get("example_value")) for node in module.graph.output_node().all_input_nodes)


def may_have_gradients(module: GraphModule) -> bool:
    """Whether gradients of an output of the graph may be asked for."""
    values = (node.meta.get("example_value") for node in module.graph.output_node().all_input_nodes)
    return any(isinstance(value, torch.Tensor) and value.requires_grad for value in values)


def inexact_comparison(shapes: Any) -> Optional[str]:
    """Why the guards of a trace may not hold what Python would find, None if they do.

    Python compares an integer and a float exactly; Dynamo rounds the integer, as the guard on it does later. Below
    2**53 there is nothing to round, and no rounding of a larger integer passes a smaller number.
    """
    from ..base.torch_names import ToFloat

    for guard in shapes.guards:
        if guard.expr.has(ToFloat) and any(abs(number) >= EXACT for number in guard.expr.atoms() if number.is_number):
            return "a number from a tensor is compared with a number that is too large"
    return None


def is_compiler(backend: Any) -> bool:
    """Whether it is known before a backend is called that it does not hand back the graph itself."""
    return getattr(backend, "compiler_name", None) in COMPILERS


@contextlib.contextmanager
def not_compiled(reason: Optional[str]) -> Iterator[None]:
    """Refuse a graph, if there is a reason to, as soon as the backend that is called begins to compile it.

    Whether a function of the user's own does, or what it calls in turn, shows no earlier.
    """

    def refusing(create: Any, *args: Any, **kwargs: Any) -> Any:
        if trace_state.local.trace is None:
            return create(*args, **kwargs)  # of another thread
        raise trace_state.SymbolsRefused(reason)

    with hooks.replaced("compiler.start", refusing) if reason is not None else contextlib.nullcontext():
        yield


def runs_as_python(module: GraphModule, compiled: Any) -> bool:
    """Whether a backend hands back the graph itself, which computes with numbers as Python does."""
    return compiled is module or getattr(compiled, "__self__", None) is module


COMPARISONS = frozenset(["lt", "le", "gt", "ge", "eq", "ne", "sym_ite", "sym_not"])
SCALED = frozenset(
    ["add", "sub", "mul", "truediv", "pow", "full", "full_like", "new_full", "masked_fill", "where", "clamp"]
)
SIZED = frozenset(["zeros", "ones", "empty", "full", "new_zeros", "new_ones", "new_full", "view", "reshape", "narrow"])


def computes_with_numbers(module: GraphModule) -> Optional[str]:
    """Why compiled code may find another number than Python, or none where Python raises; None if it may not.

    Python's numbers have no limits, and dividing by zero or taking a root of them raises. So a number is fetched from a
    tensor, compared or handed on, and nothing else. Sizes that depend on data are small and may be computed with.
    """
    fetched: set[Node] = set()
    for node in module.graph.nodes:
        value = node.meta.get("example_value")
        name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
        if name == "item":
            fetched.add(node)
            continue
        used = [source for source in node.all_input_nodes if source in fetched]
        if not used or node.op == "output" or name.startswith("_assert_scalar"):
            continue
        if isinstance(value, NUMBERS):
            fetched.add(node)
            allowed = name in COMPARISONS
        else:
            if name == "scalar_tensor" and all(is_single(source) for source in used):
                continue  # Dynamo hands a number out of the graph; compilers may do so in single precision
            real = all(isinstance(source.meta["example_value"], torch.SymFloat) for source in used)
            allowed = name in SCALED if real else name in SIZED | {"add", "sub", "mul"}
        if not allowed:
            return f"a number from a tensor goes through `{name}`"
    return None


def is_single(number: Node) -> bool:
    """Whether a node fetches a number that single precision holds from a tensor."""
    source = number.args[0] if number.target == "item" else None
    value = source.meta.get("example_value") if isinstance(source, Node) else None
    return isinstance(value, torch.Tensor) and value.dtype in (torch.float32, torch.float16, torch.bfloat16)


NUMBERS = (torch.SymInt, torch.SymFloat, torch.SymBool)
