"""Checkpoints with random draws, in graphs that run as Python.

    y = checkpoint(block, x, use_reentrant=False)     # `block` has a dropout
    y.sum().backward()                                # runs `block` again, and has to drop the same elements

Torch's operator for a checkpoint leaves the state of the random generators to the compiler behind AOTAutograd. A graph
that runs as Python has no such compiler, and its backward pass draws anew. There the operator is replaced by
`checkpoint` itself, which restores the state.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Interpreter

from ..analysis.node_facts import draws
from ..capture.hoisted_tests import CHECKPOINT

PLAIN = (torch.Tensor, torch.nn.Parameter)  # a compiler traces with tensors of other classes


def restore_generators(module: GraphModule) -> None:
    """Have the checkpoints of a graph restore the state of the generators before they run again."""
    for graph in graphs_in(module):
        drawing = [node for node in graph.graph.nodes if node.target is CHECKPOINT and body_draws(graph, node)]
        for node in drawing:
            node.target = run_checkpoint
        if drawing:
            graph.recompile()


def body_draws(module: GraphModule, node: Any) -> bool:
    """Whether the body of a checkpoint, or a graph inside it, may draw."""
    body = module.get_submodule(str(node.args[0].target))
    return any(draws(inner) for graph in graphs_in(body) for inner in graph.graph.nodes)


def graphs_in(module: torch.nn.Module) -> list[GraphModule]:
    """A graph and its inner graphs."""
    return [part for part in module.modules() if isinstance(part, GraphModule)]


def run_checkpoint(body: GraphModule, *args: Any, preserve_rng_state: bool = True, **options: Any) -> Any:
    """Run the body of a checkpoint; a compiler that traces it gets the operator."""
    import torch.utils.checkpoint

    if any(isinstance(item, torch.Tensor) and type(item) not in PLAIN for item in args):
        return CHECKPOINT(body, *args, preserve_rng_state=preserve_rng_state, **options)
    chosen = body.meta.get("_checkpoint_context_fn")
    options = {**options, "use_reentrant": False, "preserve_rng_state": preserve_rng_state}
    if chosen is not None:
        options["context_fn"] = chosen
    return torch.utils.checkpoint.checkpoint(lambda *inputs: Interpreter(body).run(*inputs), *args, **options)
