"""Rollback of gradient mode and autocast where a graph does not come to its end.

    with torch.no_grad():         # the graph has two operators, enter and exit, and no `finally`
        y = self.check(x)         # raises: the exit operator never runs

A graph that runs as Python switches the modes of the thread. Where the graph raises, the modes are put back, before the
call runs again. A graph of another path than the data's raises at its end, behind `torch.set_grad_enabled(...)`.
"""

from __future__ import annotations

from typing import Any, Callable

import torch
from torch.fx import GraphModule

from ..analysis import branch_proofs
from ..base import torch_names


def keeping_modes(compiled: Callable[..., Any], module: GraphModule) -> Callable[..., Any]:
    """A compiled graph that restores the modes where it raises; the same graph if there is no switch of
    modes inside.
    """
    switches = [node for node in module.graph.nodes if branch_proofs.is_context(node)]
    if not switches:
        return compiled
    blocks = [node for node in switches if node.target is torch_names._enter_autocast]
    kinds = sorted({str(node.args[0]) for node in blocks})

    def run(*inputs: Any) -> Any:
        enabled = torch.is_grad_enabled()
        cast = autocast_of(kinds) if kinds else None
        try:
            return compiled(*inputs)
        except BaseException:
            torch.set_grad_enabled(enabled)
            if cast is not None:
                cast()
            raise

    return run


def autocast_of(kinds: list[str]) -> Callable[[], None]:
    """A function that restores the present autocast state of some kinds of devices."""
    states = [(kind, torch.is_autocast_enabled(kind), torch.get_autocast_dtype(kind)) for kind in kinds]
    cached, depth = torch.is_autocast_cache_enabled(), nesting()

    def restore() -> None:
        for kind, enabled, dtype in states:
            torch.set_autocast_enabled(kind, enabled)
            torch.set_autocast_dtype(kind, dtype)
        torch.set_autocast_cache_enabled(cached)
        for _ in range(nesting() - depth):
            if torch.autocast_decrement_nesting() == 0:
                torch.clear_autocast_cache()

    return restore


def nesting() -> int:
    """The number of autocast blocks around the present statement."""
    torch.autocast_increment_nesting()
    return torch.autocast_decrement_nesting()
