"""Tests inside an autograd function or a checkpoint, computed a second time in front of the function.

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            if x.min() < 0:  # Dynamo traces `forward` into an inner graph, with values unseen outside
                ...

A decision has to be an output of the outermost graph, and so have numbers that the program reads and values that it
shows (`autograd/function_numbers.py`, `autograd/function_effects.py`). The nodes behind the test are therefore copied
in front of the call of the function, if each node only computes. Nodes that write to memory of the body are copied
too; a body that writes to memory of its inputs is left alone. A test in `backward`, or in a function that `backward`
calls, is copied where the test is computed from saved tensors: saved tensors stay the same, or the backward pass raises
an exception.
"""

from __future__ import annotations

import contextlib
from typing import Any, Iterable, Iterator, Optional

import torch
from torch.fx import Graph, Node

from ..analysis import node_facts
from ..base import torch_names
from ..base.marker_ops import kind_of

FUNCTION = "autograd.Function"
CHECKPOINT = torch.ops.higher_order.tag_activation_checkpoint  # Dynamo's operator for `checkpoint`
MAX_COPIED = 256  # nodes
# An operation inside an autocast block computes in another dtype than the same operation outside.
BLOCKS = (torch_names._enter_autocast, torch_names._exit_autocast)

Level = tuple[list[Node], dict[Node, Node]]  # nodes of a graph, and the outer nodes behind its inputs


def is_inside(tracer: Any) -> bool:
    """Whether Dynamo is tracing an autograd function or a checkpoint, without another kind of inner graph around."""
    if tracer.parent is None:
        return False
    while tracer.parent is not None and getattr(tracer, "source_target", None) in (FUNCTION, CHECKPOINT):
        tracer = tracer.parent
    return tracer.parent is None


def is_in_forward(tracer: Any) -> bool:
    """Whether Dynamo is tracing the forward pass of an autograd function that the outermost graph calls."""
    inner = tracer.parent is not None and tracer.parent.parent is None
    return inner and getattr(tracer, "source_target", None) == FUNCTION


def tensor_in_front(tx: Any, tensor: Any) -> Any:
    """Dynamo's variable, in the outermost graph, of a copy of a tensor of the inner graph; None if there is no copy."""
    from ..base.torch_names import wrap_fx_proxy

    tracer, proxy = tx.output.current_tracer, tensor.as_proxy()
    proxy = tracer.lifted_freevars.get(proxy, proxy)
    if proxy.tracer is tracer:
        node = hoisted(tx, proxy.node)
    elif tracer.parent.parent is None:  # a tensor of the outermost graph that the inner graph has not used yet
        node = entry(tracer.parent.graph, proxy.node)
    else:
        node = None
    if node is None:
        return None
    with at_top(tx.output):
        known = node.meta.pop("example_value")
        return wrap_fx_proxy(tx, torch.fx.Proxy(node, tx.output.current_tracer), example_value=known)


def hoisted(tx: Any, test: Node) -> Optional[Node]:
    """The copy, in the outermost graph, of a node of the inner graph; None where the node cannot be copied."""
    tracer, wanted = tx.output.current_tracer, [test]
    passes, levels = backward_passes(tx), []
    if passes is None:
        return None
    while tracer.parent is not None:
        inputs = level(tracer, wanted, passes.get(tracer))
        if inputs is None:
            return None
        levels.append(inputs)
        wanted = list(inputs[1].values())
        tracer = tracer.parent
    copies = {argument: entry(tracer.graph, argument) for argument in wanted}
    for needed, outer in reversed(levels):
        for node in needed:
            if node in outer:
                copies[node] = copies[outer[node]]
            else:
                copies[node] = tracer.graph.node_copy(node, copies.__getitem__)
                copies[node].meta = dict(node.meta)
    return copies[test]


def level(tracer: Any, wanted: list[Node], context: Any) -> Optional[Level]:
    """The nodes of an inner graph behind the wanted nodes, with the outer nodes of its inputs; None if a copy may
    differ. `context` is that of a backward pass; None for other graphs.
    """
    needed = computed_from(tracer.graph, wanted)
    if needed is None or not is_free(tracer.graph, needed):
        return None
    lifted = {inner.node: known_to(tracer.parent, proxy) for proxy, inner in tracer.lifted_freevars.items()}
    inputs = [node for node in needed if node.op == "placeholder"]
    if not all(node in lifted for node in inputs):
        return None
    if context is not None and not {lifted[node] for node in inputs} <= saved(context, tracer.parent):
        return None
    return needed, {node: lifted[node].node for node in inputs}


def backward_passes(tx: Any) -> Optional[dict[Any, Any]]:
    """The tracers of backward passes around the traced instruction, with the contexts of their functions.

    None where frames and tracers do not match: the graph of a backward pass stands inside of the graph of its forward
    pass, though it runs later.
    """
    tracers = []
    tracer = tx.output.current_tracer
    while tracer.parent is not None:
        if getattr(tracer, "source_target", None) == FUNCTION:
            tracers.append(tracer)
        tracer = tracer.parent
    passes: dict[Any, Any] = {}
    if len(tracers) < 2:  # a forward pass
        return passes
    for name, context in reversed(contexts(tx)):
        if name == "backward" and len(tracers) > 1:
            passes[tracers[-2]] = context
            del tracers[-2:]
        elif name == "forward":  # a function in a backward pass, without gradients, has no graph of its own
            del tracers[-1:]
        else:
            return None
    return None if len(tracers) > 1 or (tracers and passes) else passes


def contexts(tx: Any) -> list[tuple[str, Any]]:
    """The contexts of autograd functions being traced, the innermost one first, with the names of their passes."""
    from ..base.torch_names import AutogradFunctionContextVariable

    found: dict[int, tuple[str, Any]] = {}
    while tx is not None:
        for variable in tx.symbolic_locals.values():
            if isinstance(variable, AutogradFunctionContextVariable):
                found[id(variable)] = (tx.f_code.co_name, variable)  # the outermost frame has the name of the pass
        tx = tx.parent
    return list(found.values())


def saved(context: Any, tracer: Any) -> set[Any]:
    """The tensors that an autograd function has saved for its backward pass, as proxies of the graph of `forward`."""
    tensors = context.saved_tensors.tensors if context.saved_tensors is not None else []
    return {known_to(tracer, tensor.as_proxy()) for tensor in tensors if tensor.is_tensor()}


def known_to(tracer: Any, proxy: Any) -> Any:
    """The proxy, in the graph of a tracer, for a proxy of the same graph or of a graph around."""
    return tracer.lifted_freevars.get(proxy, proxy)


def entry(graph: Graph, argument: Node) -> Node:
    """The argument of the function without its history, because an autograd function records no history."""
    value = argument.meta.get("example_value")
    if not isinstance(value, torch.Tensor):
        return argument
    node = graph.call_method("detach", (argument,))
    with torch.no_grad():
        node.meta = {"example_value": value.data}
    return node


def computed_from(graph: Graph, wanted: Iterable[Node]) -> Optional[list[Node]]:
    """The nodes behind the wanted nodes, and the wanted nodes, in order; None if there are too many nodes.

    A node that writes to the memory of a needed node (`mask[:n] = 1`) is needed as well.
    """
    nodes: set[Node] = set()
    waiting = list(wanted)
    while waiting:
        while waiting:
            node = waiting.pop()
            if node not in nodes:
                nodes.add(node)
                waiting += node.all_input_nodes
        if len(nodes) > MAX_COPIED:
            return None
        memory = node_facts.storages_in(nodes)
        waiting = [node for node in graph.nodes if node not in nodes and node_facts.writes_of(node) & memory]
    return [node for node in graph.nodes if node in nodes]


def is_free(graph: Graph, needed: list[Node]) -> bool:
    """Whether copies outside of the graph compute the same: the nodes only compute, and write only to memory of the
    body.
    """
    if any(node.target in BLOCKS for node in graph.nodes):
        return False
    outer = node_facts.storages_in(node for node in needed if node.op == "placeholder")
    computed = [node for node in needed if node.op != "placeholder"]
    return all(only_computes(node) and not node_facts.writes_of(node) & outer for node in computed)


def only_computes(node: Node) -> bool:
    """Whether a node computes from tensors alone: no random numbers, no new symbolic numbers."""
    if node.op not in ("call_function", "call_method") or kind_of(node) is not None:
        return False
    facts = node_facts.facts_of(node)
    if node.meta.get("unbacked_bindings") or not ("example_value" in node.meta or facts.writes):
        return False
    return not facts.draws


@contextlib.contextmanager
def at_top(output: Any) -> Iterator[None]:
    """Add nodes to the outermost graph inside the block."""
    inner = output.tracers[1:]
    del output.tracers[1:]
    try:
        yield
    finally:
        output.tracers += inner
