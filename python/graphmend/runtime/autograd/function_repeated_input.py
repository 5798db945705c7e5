"""Functions with a derivative of their own (`torch.autograd.Function`) that are given the same tensor twice.

Dynamo gives up at all of them, because the gradients of the places would have to be added up. Where nobody asks for
a gradient of the tensor, or at most one of its places gets one, there is nothing to add.
"""

from __future__ import annotations

from typing import Any, Optional

import torch

from ..base import hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GAIN, "autograd.Function that is given one tensor twice")


@FEATURE.hook("graph.rewire_backward")
def rewire(
    call: Any,
    trace: trace_state.Trace,
    self: Any,
    inputs: Any,
    gradients: Any,
    graph: Any,
    outer: Any,
    arguments: list[Any],
    *rest: Any,
) -> Any:
    """Sum the gradients of a tensor that is given twice."""
    kept = places_kept(arguments, gradients)
    if kept is not None:
        arguments = [arguments[place] for place in kept]
        gradients = type(gradients)([gradients.items[place] for place in kept])
    return call(self, inputs, gradients, graph, outer, arguments, *rest)


def places_kept(arguments: list[Any], gradients: Any) -> Optional[list[int]]:
    """The places of the arguments, one for each tensor that is repeated, whose gradients are all that there is.

    None where no tensor is repeated, or where that cannot be said.
    """
    from ..base.torch_names import BaseListVariable

    if not isinstance(gradients, BaseListVariable) or len(gradients.items) != len(arguments):
        return None
    first: dict[Any, int] = {}
    kept = list(range(len(arguments)))
    for place, argument in enumerate(arguments):
        if not argument.is_tensor():
            continue
        known = first.setdefault(argument.as_proxy(), place)
        if known == place:
            continue
        if needs_gradient(argument) and gradients.items[known].is_tensor() and gradients.items[place].is_tensor():
            return None
        more = needs_gradient(argument) and gradients.items[place].is_tensor()
        kept.remove(known if more else place)
        first[argument.as_proxy()] = place if more else known
    return kept if len(kept) < len(arguments) else None


def needs_gradient(argument: Any) -> bool:
    """Whether somebody may ask for a gradient of the tensor that Dynamo's variable stands for."""
    value = argument.as_proxy().node.meta.get("example_value")
    return torch.is_grad_enabled() and (value is None or value.requires_grad)
