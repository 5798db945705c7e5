"""Numbers of the data as floating-point arguments of operators.

    delta = errors.abs().quantile(0.8).item()
    return F.huber_loss(y, target, delta=delta)     # the schema says `float delta`

Torch can keep a number open where a schema says `Scalar`. Where it says `float`, torch asks for the value, which no
trace knows. The trace needs the value for the shape and the type of the result alone. The operator is therefore tried
with two numbers that any probability, scale or limit may be. Where both give the same kind of tensor, the node keeps
the open number, and the run of the graph hands it over.
"""

from __future__ import annotations

from typing import Any, Optional

import torch
from torch.utils import _pytree as pytree

from ..base import hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GAIN, "numbers of the data as float arguments of operators")

TRIED = (0.5, 0.25)


def is_open_float(value: Any) -> bool:
    """Whether a value is a floating-point number that only the run of the graph knows."""
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

    return isinstance(value, torch.SymFloat) and bool(free_unbacked_symbols(value))


def is_unknown(error: Optional[BaseException]) -> bool:
    """Whether an operator failed because torch asked for the value of an open number."""
    from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

    while error is not None and not isinstance(error, GuardOnDataDependentSymNode):
        error = error.__cause__ or error.__context__
    return error is not None


def kind(value: Any) -> Any:
    """What a trace needs to know of a result; None for what may hold an open number or size."""
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

    if not isinstance(value, torch.Tensor) or value.layout is not torch.strided or free_unbacked_symbols(value):
        return None
    return value.dtype, value.device, value.requires_grad, value.shape, value.stride(), value.storage_offset()


@FEATURE.hook("node.run")
def run_node(run: Any, trace: trace_state.Trace, output: Any, node: Any, args: Any, kwargs: Any, module: Any) -> Any:
    """The result of a node on values without data."""
    try:
        return run(output, node, args, kwargs, module)
    except Exception as error:
        if not is_unknown(error) or not any(map(is_open_float, pytree.tree_leaves((args, kwargs)))):
            raise
        found = [tried(run, output, node, args, kwargs, module, number) for number in TRIED]
        if found[0] is None or kind(found[0]) is None or kind(found[0]) != kind(found[1]):
            raise
        return found[0]


def tried(run: Any, output: Any, node: Any, args: Any, kwargs: Any, module: Any, number: float) -> Any:
    """The result of a node with a number in the place of open ones; None where the operator refuses the number."""
    args, kwargs = pytree.tree_map(lambda value: number if is_open_float(value) else value, (args, kwargs))
    try:
        return run(output, node, args, kwargs, module)
    except Exception:
        return None
