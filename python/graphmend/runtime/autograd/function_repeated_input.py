"""Autograd functions (`torch.autograd.Function`) with the same tensor at two places.

    y = Multiply.apply(x, x)              # Dynamo breaks: the gradients of both places have to be added up
    y = Multiply.apply(x.detach(), x)     # a single gradient exists: no sum
    with torch.no_grad(): Multiply.apply(x, x)

A sum is needed only where two places of a repeated tensor get gradients. Elsewhere the hook hands Dynamo a single place
for each tensor: the place with the gradient.
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
    """Hand Dynamo one place of each repeated tensor."""
    places = one_place_each(arguments, gradients)
    if places is not None:
        arguments = [arguments[place] for place in places]
        gradients = type(gradients)([gradients.items[place] for place in places])
    return call(self, inputs, gradients, graph, outer, arguments, *rest)


def one_place_each(arguments: list[Any], gradients: Any) -> Optional[list[int]]:
    """One place for each tensor, chosen so that no gradient is lost; None where no tensor repeats, or two gradients
    would have to be added.
    """
    from ..base.torch_names import BaseListVariable

    if not isinstance(gradients, BaseListVariable) or len(gradients.items) != len(arguments):
        return None
    first: dict[Any, int] = {}
    places = list(range(len(arguments)))
    for place, argument in enumerate(arguments):
        if not argument.is_tensor():
            continue
        earlier = first.setdefault(argument.as_proxy(), place)
        if earlier == place:
            continue
        if needs_gradient(argument) and gradients.items[earlier].is_tensor() and gradients.items[place].is_tensor():
            return None
        replaces = needs_gradient(argument) and gradients.items[place].is_tensor()
        places.remove(earlier if replaces else place)
        first[argument.as_proxy()] = place if replaces else earlier
    return places if len(places) < len(arguments) else None


def needs_gradient(argument: Any) -> bool:
    """Whether the program may ask for a gradient of the tensor behind a variable of Dynamo."""
    value = argument.as_proxy().node.meta.get("example_value")
    return torch.is_grad_enabled() and (value is None or value.requires_grad)
