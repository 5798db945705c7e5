"""Gradients that the traced program computes: `requires_grad_`, `torch.autograd.grad` and `backward`.

    x.requires_grad_()                    # a leaf in the trace; the call is removed from the graph
    loss = self.energy(x)                 # grads = torch.autograd.grad(loss, leaves, allow_unused=True)
    loss.backward()                       # accumulate(leaves, grads)

Dynamo can hold the derivative of a part of a graph in the graph. Three gaps are left:

- A tensor that the program makes a leaf (`x.requires_grad_()`) is a leaf only in the trace: compilers drop the call. So
  every result with a gradient must have a gradient without the call, too (`settle`).
- `backward` is `torch.autograd.grad` for the leaves that the loss reaches, followed by Python's update of `.grad`.
- Hooks on leaves, anomaly mode and the like act while derivatives are computed. `undisturbed` checks for them in every
  call, and sends the call to eager Python.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Optional

import torch
from torch.fx import GraphModule, Node

from ..analysis import branch_proofs, node_facts
from ..analysis.marker_regions import tensor_of
from ..base import torch_names, trace_state
from ..base.dynamo_values import inline
from ..base.owned_state import OwnedState
from . import function_bodies, retain_grad


@dataclasses.dataclass
class Leaves:
    """The tensors of one trace that the program has made leaves."""

    nodes: list[Node] = dataclasses.field(default_factory=list)  # nodes of the graph, in program order


LEAVES = OwnedState(__name__, Leaves)

# The nodes of a graph by which a tensor becomes a leaf.
SWITCHES = ("requires_grad_", torch_names.set_inplace_requires_grad_allowed)


def note_leaf(trace: trace_state.Trace, node: Node) -> None:
    """Note that the program makes a tensor of the graph a leaf."""
    LEAVES.of(trace).nodes.append(node)


def has_leaves(trace: trace_state.Trace) -> bool:
    """Whether the program has made tensors of the graph leaves."""
    return bool(LEAVES.of(trace).nodes)


def reached_leaves(value: torch.Tensor) -> list[torch.Tensor]:
    """The leaves that get a gradient from a tensor."""
    leaves, seen, pending = [], set(), [value.grad_fn]
    while pending:
        function = pending.pop()
        if function is None or function in seen:
            continue
        seen.add(function)
        if hasattr(function, "variable"):
            leaves.append(function.variable)
        pending += [following for following, _ in function.next_functions]
    return leaves if value.grad_fn is not None or not value.requires_grad else [value]


def backward(
    tx: Any, loss: Any, gradient: Any = None, retain_graph: Any = None, create_graph: Any = None, inputs: Any = None
) -> Any:
    """`loss.backward(...)`: compute the gradients of the leaves, and update `.grad`."""
    from ..base.torch_names import ConstantVariable, TupleVariable, VariableTracker

    if inputs is not None or tx.output.current_tracer.parent is not None:
        raise trace_state.SiteRefused("`backward` for some of the inputs, or inside a higher-order operator")
    if create_graph is not None and create_graph.as_python_constant():
        raise trace_state.SiteRefused("`backward` whose gradients have gradients")
    trace = trace_state.local.trace
    assert trace is not None
    leaves, retained = leaf_variables(tx, loss), retain_grad.retained_tensors(trace)
    arguments = [loss, TupleVariable([*leaves, *retained]), *([] if gradient is None else [gradient])]
    options = {"allow_unused": ConstantVariable.create(True)}
    if retain_graph is not None:
        options["retain_graph"] = retain_graph
    differentiate = VariableTracker.build(tx, torch.autograd.grad)
    gradients = retain_grad.gradients_for_backward(trace, lambda: differentiate.call_function(tx, arguments, options))
    items = gradients.unpack_var_sequence(tx)
    values = [TupleVariable(leaves), TupleVariable(items[: len(leaves)])]
    inline(tx, accumulate, values, {})
    retain_grad.keep_gradients(trace, tx, items[len(leaves) :])
    return ConstantVariable.create(None)


def backward_of(tx: Any, tensors: Any, grad_tensors: Any = None, *further_arguments: Any, **options: Any) -> Any:
    """`torch.autograd.backward(...)` of one tensor."""
    if further_arguments or not tensors.is_tensor() or (grad_tensors is not None and not grad_tensors.is_tensor()):
        raise trace_state.SiteRefused("`torch.autograd.backward` of several tensors")
    return tensors.call_method(tx, "backward", [] if grad_tensors is None else [grad_tensors], options)


def leaf_variables(tx: Any, loss: Any) -> list[Any]:
    """Dynamo's variables of the leaves that a loss reaches."""
    variables_by_fake = variables(tx)
    leaves = [variables_by_fake.get(id(leaf)) for leaf in reached_leaves(loss.as_proxy().node.meta["example_value"])]
    if None in leaves or not leaves:
        raise trace_state.SiteRefused("`backward` reaches a tensor that the trace does not know")
    return leaves


def variables(tx: Any) -> dict[int, Any]:
    """Dynamo's variables of input tensors and of new leaves, by the identity of the fake tensor."""
    from ..base.torch_names import TensorVariable

    tracked = tx.output.side_effects.id_to_variable.values()
    candidates = (*tracked, *tx.output.leaf_var_creation_order, *tx.output.input_source_to_var.values())
    tensors = [variable for variable in candidates if isinstance(variable, TensorVariable)]
    tensors.sort(key=lambda variable: bool(variable.source))  # inputs come last, and win
    return {id(variable.as_proxy().node.meta.get("example_value")): variable for variable in tensors}


def own_variable(tx: Any, variable: Any) -> Any:
    """The first variable of a tensor: `p -= g` gives `p` itself, but Dynamo makes a second variable."""
    return variables(tx).get(id(variable.as_proxy().node.meta.get("example_value")), variable)


def accumulate(leaves: tuple[torch.Tensor, ...], gradients: tuple[Optional[torch.Tensor], ...]) -> None:
    """Add gradients to `.grad` of the leaves. A new `.grad` has memory of its own, with the layout of the leaf."""
    with torch.no_grad():
        for leaf, gradient in zip(leaves, gradients):
            if gradient is None:
                continue
            if leaf.grad is not None:
                leaf.grad.add_(gradient)
            else:
                leaf.grad = (
                    gradient.clone() if has_layout_of(gradient, leaf) else torch.empty_like(leaf).copy_(gradient)
                )


def zero_grad(optimizer: Any, set_to_none: bool = True) -> None:
    """`Optimizer.zero_grad`, in a form that Dynamo traces."""
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            if parameter.grad is None:
                continue
            if set_to_none:
                parameter.grad = None
            else:
                parameter.grad.zero_()


def changes_gradients(optimizer: Any, tx: Any) -> bool:
    """Whether the traced program has set or removed gradients of an optimizer's parameters."""
    effects = tx.output.side_effects
    for group in optimizer.value.param_groups:
        for parameter in group["params"]:
            variable = effects.id_to_variable.get(id(parameter))
            if variable is not None and effects.has_pending_mutation(variable):
                return True
    return False


def has_layout_of(gradient: torch.Tensor, leaf: torch.Tensor) -> bool:
    """Whether a gradient has the memory layout of the leaf; strides of dimensions with one element do not count."""
    strides = zip(leaf.shape, gradient.stride(), leaf.stride())
    return all(size == 1 or first == second for size, first, second in strides)


def differentiates(module: GraphModule) -> bool:
    """Whether a graph computes gradients for the program."""
    return any(node.target is torch.autograd.grad for node in module.graph.nodes)


def bodies_differentiate(module: GraphModule) -> bool:
    """Whether the body of an autograd function in a graph computes gradients for the program."""
    return any(map(differentiates, function_bodies.bodies(module)))


def differentiates_anywhere(module: GraphModule) -> bool:
    """Whether a graph, or the body of an autograd function in the graph, computes gradients for the program."""
    return differentiates(module) or bodies_differentiate(module)


def settle(module: GraphModule, trace: trace_state.Trace) -> None:
    """Prove that a compiler may ignore the leaves that the program makes, and remove the calls."""
    if not LEAVES.of(trace).nodes:
        return
    function_bodies.settle(module)
    leaves = [node for node in LEAVES.of(trace).nodes if node.graph is module.graph]
    if not leaves:
        return
    new_leaves = {id(tensor_of(node)) for node in leaves}
    if any(node.op in ("placeholder", "get_attr") and id(tensor_of(node)) in new_leaves for node in module.graph.nodes):
        raise trace_state.SiteRefused("the caller sees that a tensor is to have a gradient")  # `x += 1` is still x
    order = branch_proofs.Order(module)
    values = [tensor_of(node) for node in module.graph.output_node().all_input_nodes]
    results = [value for value in values if isinstance(value, torch.Tensor) and value.requires_grad]
    for node in leaves if results else ():
        storage = node_facts.storage_of(tensor_of(node))
        if storage is None or order.written_after(storage, node):
            raise trace_state.SiteRefused("a tensor that is to have a gradient is written to")
    if any(not {id(leaf) for leaf in reached_leaves(value)} - new_leaves for value in results):
        raise trace_state.SiteRefused("a result has a gradient only because the function itself asks for one")
    if not differentiates(module):
        for node in [node for node in module.graph.nodes if node.target in SWITCHES]:
            module.graph.erase_node(node)


def undisturbed(compiled: Callable[..., Any], module: GraphModule, guarded: bool) -> Callable[..., Any]:
    """A compiled graph that computes gradients; runs only where no hook or mode observes the computation."""
    places = [
        i for i, node in enumerate(module.graph.find_nodes(op="placeholder")) if branch_proofs.requires_grad(node)
    ]

    def run(*inputs: Any) -> Any:
        if disturbed([inputs[place] for place in places]):
            if guarded:
                raise RuntimeError
            raise trace_state.GuardFailed(None)
        return compiled(*inputs)

    return run


def disturbed(tensors: list[torch.Tensor]) -> bool:
    """Whether Python would do more while computing gradients: call hooks, look for NaN, synchronise processes."""
    return (
        torch.is_anomaly_enabled()
        or torch_names._top_saved_tensors_default_hooks(True) is not None
        or (torch.distributed.is_available() and torch.distributed.is_initialized())
        or any(tensor._backward_hooks or tensor._post_accumulate_grad_hooks for tensor in tensors)
    )
