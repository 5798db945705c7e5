"""Functions with a derivative of their own (`torch.autograd.Function`) that are given the same tensor twice.

Dynamo gives up at all of them, because the gradients of the places would have to be added up. Where nobody asks for
a gradient of the tensor, or at most one of its places gets one, there is nothing to add.
"""

from __future__ import annotations

from typing import Any, Iterator, Optional

import torch

from . import state


@state.in_whole_calls
def repeats_traced(trace: state.Trace) -> Iterator[None]:
    """Let a trace of a whole call inside the block hold such functions."""
    from torch._dynamo.variables.higher_order_ops import AutogradFunctionApplyVariable as Applied

    rewire = Applied.rewire_bwd_graph_outputs

    def rewiring(
        self: Any, inputs: Any, gradients: Any, graph: Any, outer: Any, arguments: list[Any], *rest: Any
    ) -> Any:
        kept = places_kept(arguments, gradients)
        if kept is not None:
            arguments = [arguments[place] for place in kept]
            gradients = type(gradients)([gradients.items[place] for place in kept])
        return rewire(self, inputs, gradients, graph, outer, arguments, *rest)

    with state.replaced((Applied, "rewire_bwd_graph_outputs", rewiring)):
        yield


def places_kept(arguments: list[Any], gradients: Any) -> Optional[list[int]]:
    """The places of the arguments, one for each tensor that is repeated, whose gradients are all that there is.

    None where no tensor is repeated, or where that cannot be said.
    """
    from torch._dynamo.variables import BaseListVariable

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
