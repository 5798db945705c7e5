"""Memory that a backward graph of Inductor writes to while the program holds it: a defect of torch 2.13.

    self.mean = self.mean.lerp(x.detach().mean(0), 0.5)     # an output of the forward graph, kept for gradients
    return (x - self.mean) * self.w

Inductor writes the gradient of `w` into the memory of the kept output, which is the program's buffer. A graph break
between the two lines keeps the memory apart. Graphs with kept outputs are compiled without operations in place.
"""

from __future__ import annotations

import contextlib

from torch.fx import GraphModule, Node

from ..analysis.marker_regions import tensor_of
from ..analysis.node_facts import records_gradient, tensors_in
from ..analysis.repeated_reads import INPUTS
from ..base import torch_names
from ..capture.data_scalars import compiles_gradients_early, may_compile_early, may_have_gradients

DEFECTIVE = (2, 13)


def hands_out_kept(module: GraphModule) -> bool:
    """Whether an output without a gradient may be kept for gradients."""
    outputs = module.graph.output_node().all_input_nodes
    computed = [node for node in outputs if node.op not in INPUTS]
    return may_have_gradients(module) and any(is_kept(node) for node in computed)


def is_kept(node: Node) -> bool:
    """Whether floating-point numbers of a node without a gradient go into a value with a gradient."""
    if not any(tensor.is_floating_point() and not tensor.requires_grad for tensor in tensors_in(tensor_of(node))):
        return False
    waiting, seen = [node], {node}
    while waiting:
        users = [user for user in waiting.pop().users if user not in seen]
        if any(map(records_gradient, users)):
            return True
        seen.update(users)
        waiting += users
    return False


def without_reuse(module: GraphModule) -> contextlib.AbstractContextManager[object]:
    """A context in which Inductor compiles both graphs of a module, and reuses no memory of arguments."""
    stack = contextlib.ExitStack()
    if torch_names.release().version[:2] == DEFECTIVE and hands_out_kept(module):
        stack.enter_context(torch_names.inductor_config.patch(inplace_buffers=False))
        if may_compile_early():
            stack.enter_context(compiles_gradients_early())
    return stack
