"""Choices in graphs that run as Python, under autograd's anomaly mode.

    y = torch.where(p, x.sqrt(), x)           # `sqrt` is not taken, and gets a gradient of zero
    y.sum().backward()                        # at x == 0: 0 * inf is NaN; a gate drops the NaN later
    # with torch.autograd.detect_anomaly(): the backward pass raises at the NaN

Anomaly mode looks at the results of every backward function. So a choice gives the side not taken no gradient at all
there, as in eager Python. A compiled graph has a single backward function, whose results have no NaN.
"""

from __future__ import annotations

from typing import Any, Callable, Optional

import torch
from torch.fx import GraphModule

from ..analysis.marker_regions import Region

CHOICE = "graphmend_choice"
Gradients = tuple[Optional[torch.Tensor], ...]


def mark(region: Region) -> None:
    """Mark the choices of a region."""
    for select in region.selects:
        select.result.meta[CHOICE] = True


def has_choices(module: GraphModule) -> bool:
    """Whether a graph has marked choices."""
    return any(CHOICE in node.meta and node.target is torch.where for node in module.graph.nodes)


def respecting_anomaly_mode(module: GraphModule, compiled: Any) -> Any:
    """The compiled form of a graph that may run as Python, with choices that respect anomaly mode."""
    for node in module.graph.nodes:
        if CHOICE in node.meta and node.target is torch.where:
            node.target = choose
    module.recompile()
    unchanged = getattr(compiled, "__self__", None) is module and getattr(compiled, "__name__", "") == "forward"
    return module.forward if unchanged else compiled


def choose(test: torch.Tensor, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """`torch.where` of the results of two sides."""
    result = torch.where(test, first, second)
    if result.grad_fn is not None:
        result.grad_fn.register_hook(gradient_filter(test))
    return result


def gradient_filter(test: torch.Tensor) -> Callable[[Gradients, Gradients], Optional[Gradients]]:
    """A hook that removes the gradient of the side not taken, in anomaly mode only."""

    def hook(gradients: Gradients, output_gradients: Gradients) -> Optional[Gradients]:
        if not torch.is_anomaly_enabled() or len(gradients) != 2:
            return None
        return (gradients[0], None) if test else (None, gradients[1])

    return hook
