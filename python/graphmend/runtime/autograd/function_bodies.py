"""Leaves inside autograd functions: a backward pass that computes the function again, and differentiates it.

    @staticmethod
    def backward(ctx, gradient):
        x, *parameters = ctx.saved_tensors
        with torch.enable_grad():
            x = x.detach().requires_grad_()              # a leaf of the body
            y = ctx.function(x)
            gradients = torch.autograd.grad(y, (x, *parameters), gradient)
        return None, *gradients

Adjoints of differential equations, implicit layers and reversible networks are written so. Dynamo has a graph for the
body of `forward` and of `backward`. A compiler differentiates inside a body as autograd does, with the leaves of the
body, and connects the function's results to the function alone. So a leaf of a body needs no other leaf behind it.

Hooks are the limit. A hook of a parameter that is set between the call and its backward pass is called for the
gradients inside the body, too. Where the graph itself runs, the backward pass is Python's and calls it; a compiler has
made the backward pass before, so such bodies are not given to compilers.
"""

from __future__ import annotations

from typing import Any, Iterator

import torch
from torch.fx import GraphModule

from ..analysis import branch_proofs, node_facts
from ..analysis.marker_regions import tensor_of
from ..base import trace_state
from ..capture.hoisted_tests import FUNCTION

HOOKS = "a compiler calls no hook that is set behind a call for the gradients inside an autograd function"


def may_hold_leaf(tracer: Any) -> bool:
    """Whether a tensor may become a leaf in the graph of a tracer: the outermost graph, or the body of an autograd
    function.

    Autograd runs backward passes outside of the autocast block around a function, and a body has the dtypes inside.
    """
    if tracer.parent is not None and any(map(torch.is_autocast_enabled, ("cuda", "cpu"))):
        return False
    while tracer.parent is not None and getattr(tracer, "source_target", None) == FUNCTION:
        tracer = tracer.parent
    return tracer.parent is None


def bodies(module: GraphModule) -> Iterator[GraphModule]:
    """The inner graphs of a graph."""
    return (part for part in module.modules() if part is not module and isinstance(part, GraphModule))


def settle(module: GraphModule) -> None:
    """Prove that the bodies with leaves of their own compute in a compiler what they compute in autograd."""
    for body in bodies(module):
        leaves = [node for node in body.graph.nodes if node.op == "call_method" and node.target == "requires_grad_"]
        if not leaves:
            continue
        order = branch_proofs.Order(body)
        for node in leaves:
            storage = node_facts.storage_of(tensor_of(node.all_input_nodes[0]))
            if storage is None or order.written_after(storage, node):
                raise trace_state.SiteRefused("a tensor that is to have a gradient is written to")
        if any(branch_proofs.requires_grad(node) for node in order.outputs if node.op != "placeholder"):
            raise trace_state.SiteRefused("an autograd function hands on a result with a history of its own")
