"""Choices in graphs that run as Python, under autograd's anomaly mode.

A side that is not taken has a gradient of zero, of which its derivative may make NaN (0 * inf). No gradient comes of
it, and yet anomaly mode looks at every function of the backward pass, and raises. So the choice hands the side not
taken no gradient at all there, as in eager Python. Compiled graphs have one backward function, which gives no NaN.
"""

from __future__ import annotations

from typing import Any, Callable, Optional

import torch
from torch.fx import GraphModule

from ..analysis.marker_regions import Region

CHOICE = "graphmend_choice"


def mark(region: Region) -> None:
    """Remember the choices of a region."""
    for select in region.selects:
        select.result.meta[CHOICE] = True


def has_choices(module: GraphModule) -> bool:
    """Whether a graph has choices that are remembered."""
    return any(CHOICE in node.meta and node.target is torch.where for node in module.graph.nodes)


def watched(module: GraphModule, compiled: Any) -> Any:
    """What a backend has made of a graph that may run as Python, with choices that know of anomaly mode."""
    for node in module.graph.nodes:
        if CHOICE in node.meta and node.target is torch.where:
            node.target = choose
    module.recompile()
    own = getattr(compiled, "__self__", None) is module and getattr(compiled, "__name__", "") == "forward"
    return module.forward if own else compiled


def choose(test: torch.Tensor, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """`torch.where` of the results of two sides."""
    result = torch.where(test, first, second)
    if result.grad_fn is not None:
        result.grad_fn.register_hook(leaving_out(test))
    return result


def leaving_out(test: torch.Tensor) -> Callable[[tuple, tuple], Optional[tuple]]:
    """A hook that takes the gradient of the side not taken away, in anomaly mode only."""

    def hook(gradients: tuple, given: tuple) -> Optional[tuple]:
        if not torch.is_anomaly_enabled() or len(gradients) != 2:
            return None
        return (gradients[0], None) if test else (None, gradients[1])

    return hook
