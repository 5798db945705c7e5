"""Numbers and sizes that depend on data: what a graph that holds a whole call may do with them."""

from __future__ import annotations

from typing import Any, Optional

from torch.fx import GraphModule

from .dialect import EXACT

# Where the rest of a call cannot be traced with such numbers, there is no such graph, and its frames are compiled one
# by one with the user's settings.
CAPTURE = {"capture_scalar_outputs": True, "capture_dynamic_output_shape_ops": True}


def depends_on_data(module: GraphModule) -> bool:
    """Whether numbers or sizes in the graph are known only when it runs. What the trace assumed of them is checked
    then, and the call is run again in eager Python where it does not hold."""
    return any(node.meta.get("unbacked_bindings") for node in module.graph.nodes)


def inexact_comparison(shapes: Any) -> Optional[str]:
    """Why the guards of a trace may not hold what Python would find, None if they do.

    Python compares an integer and a float exactly; Dynamo rounds the integer, as the guard on it does later. Below
    2**53 there is nothing to round, and no rounding of a larger integer passes a smaller number.
    """
    from torch.utils._sympy.functions import ToFloat

    for guard in shapes.guards:
        if guard.expr.has(ToFloat) and any(abs(number) >= EXACT for number in guard.expr.atoms() if number.is_number):
            return "a number from a tensor is compared with a number that is too large"
    return None
