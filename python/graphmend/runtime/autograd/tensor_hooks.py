"""Hooks on tensors with side effects: hooks that print, record, or read the state of a module.

    h = self.encoder(x)                                 # the graph: hooked(h, 0)
    h.register_hook(lambda g: self.norms.append(g.norm()))
    return self.head(h)                                 # behind the graph: the lambda is handed over

Such a hook is a call of Python in the middle of the backward pass. The graph marks the place, where an operator of the
backward graph calls the program's function with the gradient (`hook_runner.py`). The function is a deferred effect,
handed over behind the graph. Three differences from eager Python are settled when the backward pass runs:

- A hook runs only where its tensor gets a gradient, and the pass goes on from the tensor to a wanted gradient.
- An exception ends the pass, but leaves with earlier gradients keep them.
- Hooks on leaves run in between; a call with hooks on leaves runs in eager Python.

A backend without a backward graph of its own has the tensors at hand, and the hooks are put on the tensors.
"""

from __future__ import annotations

import dataclasses
import dis
import functools
import operator
from types import CodeType, FunctionType
from typing import Any, Callable, Iterator, Optional, Union

import torch
from torch.fx import GraphModule, Node

from ..analysis import branch_proofs, node_facts
from ..analysis.marker_regions import Marks, fake_of, node_at, outputs_of, tensor_of
from ..analysis.reachability import is_trusted, members_of
from ..base import hooks, torch_names, trace_state
from ..base.callable_code import is_suspended
from ..base.dynamo_values import inline, receiver_of
from ..base.marker_ops import hook as marker
from ..base.marker_ops import kind_of
from ..capture.trace_time import number_of_use
from ..effects import undo_log
from ..external import numpy_random_functions
from . import hook_runner, inner_gradients
from .hook_runner import Hooks, attach, hooked


@dataclasses.dataclass
class Hooked:
    """The tensors of one trace with hooks that Python calls."""

    places: dict[Node, int] = dataclasses.field(default_factory=dict)  # nodes, with their position among these


FEATURE = hooks.Feature(__name__, hooks.GAIN, "hooks on tensors that do more than compute", state=Hooked)

# Names by which a hook sees unfinished work of the backward pass, or its callers on the stack.
FORBIDDEN = frozenset(
    "grad backward zero_grad step register_hook register_post_accumulate_grad_hook retain_grad queue_callback "
    "saved_tensors _getframe currentframe extract_stack format_stack print_stack stack exec eval globals locals "
    "detect_anomaly set_detect_anomaly set_grad_enabled".split()
)
MAX_DEPTH = 4
Dependence = tuple[str, int]  # "input" and a position, or "hook" and a number
Dependences = dict[Union[Node, int], frozenset[Dependence]]  # by node, and by storage
INDEPENDENT: frozenset[Dependence] = frozenset()


# ---- While a call is traced ----


@FEATURE.method("register_hook")
def add_hook(call: Any, trace: trace_state.Trace, self: Any, tx: Any, hook: Any) -> Any:
    """Leave a hook to Python where Dynamo cannot trace the hook."""
    if self.source or torch_names.compiled_autograd_enabled:
        return call(self, tx, hook)
    if numpy_random_functions.FEATURE.of(trace).as_operators:
        return left_to_python(trace, tx, self, hook)
    try:
        return call(self, tx, hook)
    except Exception:
        numpy_random_functions.want_operators(trace)  # the next attempt leaves untraceable functions to Python
        raise


def left_to_python(trace: trace_state.Trace, tx: Any, tensor: Any, hook: Any) -> Any:
    """Dynamo's variable for the handle of a hook that Python calls."""
    if trace.open or tx.output.current_tracer.parent is not None:
        raise trace_state.SiteRefused("a hook on a tensor is registered inside a branch or a higher-order operator")
    reason = unsuitable_variable(hook.realize())
    if reason is not None:
        raise trace_state.SiteRefused(reason)
    hook_runner.keep_order()
    undo_log.watch(trace, tx.output)
    places = FEATURE.of(trace).places
    place = places.setdefault(tensor.as_proxy().node, len(places))
    handle = handle_class()(tensor, place, number_of_use(trace))
    handle.register(tx, hook)
    return handle


def has_hooks(trace: trace_state.Trace) -> bool:
    """Whether Python calls hooks on tensors of the graph."""
    return bool(FEATURE.of(trace).places)


def register(tensor: torch.Tensor, key: str, handle: Any, function: Optional[Callable[..., Any]]) -> None:
    """Mark a hook in the graph, and hand over `function` behind the graph; None removes the hook."""
    marker(key, tensor)
    trace_state.local.queue.append((trace_state.local, attach, torch.is_grad_enabled(), None, handle, function))


def unsuitable_variable(variable: Any) -> Optional[str]:
    """The reason why Python cannot call a hook (a variable of Dynamo) inside a backward graph; None for a suitable
    hook.
    """
    from ..base.torch_names import (
        BuiltinVariable,
        FunctoolsPartialVariable,
        GetAttrVariable,
        ListVariable,
        NestedUserFunctionVariable,
        UserDefinedObjectVariable,
        UserFunctionVariable,
        UserMethodVariable,
    )

    if type(variable) is FunctoolsPartialVariable:
        return unsuitable_variable(variable.func.realize())
    if type(variable) is BuiltinVariable and variable.fn is print:
        return None
    if type(variable) is GetAttrVariable and variable.name == "append":
        owner = receiver_of(variable).realize()
        return None if type(owner) is ListVariable else "a hook on a tensor is a method of no list"
    if type(variable) in (NestedUserFunctionVariable, UserFunctionVariable, UserMethodVariable):
        return unsuitable(variable.get_code(), variable.get_globals(), MAX_DEPTH)
    if type(variable) is UserDefinedObjectVariable:
        members = members_of(variable.python_type())
        if isinstance(members.get("__call__"), FunctionType):
            return unsuitable(members["__call__"].__code__, members["__call__"].__globals__, MAX_DEPTH)
    return "a hook on a tensor is no plain function"


def unsuitable(code: CodeType, variables: dict[str, Any], depth: int) -> Optional[str]:
    """The reason why a hook with this code may notice the backward graph around the call; None for a suitable hook."""
    if is_suspended(code):
        return "a hook on a tensor is a generator or a coroutine"
    names = set(code.co_names)
    forbidden = FORBIDDEN & names
    if forbidden:
        return f"a hook on a tensor may use `{min(forbidden)}`"
    if any(name.endswith("_") and not name.endswith("__") for name in names) or writes_to_parameter(code):
        return "a hook on a tensor may write to the gradient, which others may hold, too"
    for constant in code.co_consts:
        if isinstance(constant, tuple) and "stacklevel" in constant:
            return "a hook on a tensor names a place on the stack"
    parts = [(constant, variables) for constant in code.co_consts if isinstance(constant, CodeType)]
    if depth:
        parts += [(function.__code__, function.__globals__) for function in functions(names, variables)]
    for constant, its in parts:
        reason = unsuitable(constant, its, depth - 1 if depth else 0)
        if reason is not None:
            return reason
    return None


def functions(names: set[str], variables: dict[str, Any]) -> Iterator[FunctionType]:
    """The functions of the program with one of these names, among globals and in classes."""
    tables = [variables, *(vars(value) for value in list(variables.values()) if isinstance(value, type))]
    for table in tables:
        for name in names & table.keys():
            if isinstance(table[name], FunctionType) and not is_trusted(table[name].__module__):
                yield table[name]


def writes_to_parameter(code: CodeType) -> bool:
    """Whether code may write to a tensor argument: `g *= 2`, `g[0] = 0`."""
    names = code.co_varnames[: code.co_argcount]
    instructions = [item for item in dis.get_instructions(code) if item.opname not in ("CACHE", "EXTENDED_ARG")]
    stores = any(item.opname in ("STORE_SUBSCR", "STORE_SLICE") for item in instructions)
    for item, following in zip(instructions, instructions[1:]):
        inplace = item.opname.startswith("INPLACE_") or (item.opname == "BINARY_OP" and item.argrepr.endswith("="))
        if inplace and following.opname.startswith("STORE_FAST"):
            return True
        if not stores or not item.opname.startswith("LOAD_FAST"):
            continue
        loaded = item.argval if isinstance(item.argval, tuple) else (item.argval,)
        reads_attribute = following.opname in ("LOAD_ATTR", "LOAD_METHOD")
        if not item.starts_line and set(names) & set(loaded[:-1] if reads_attribute else loaded):
            return True
    return False


@functools.lru_cache(maxsize=None)
def handle_class() -> type:
    """The class of Dynamo's variables for handles of hooks; made late because Dynamo is loaded late."""
    from ..base.torch_names import ConstantVariable, RemovableHandleVariable, create_call_function

    class Handle(RemovableHandleVariable):
        """The handle of a hook on a tensor of the graph; the handle of Python is made behind the graph."""

        def __init__(self, tensor: Any, place: int, number: int, **options: Any) -> None:
            super().__init__(**options)
            self.tensor = tensor
            self.place = place
            self.number = number

        def register(self, tx: Any, function: Any) -> None:
            """Call the function `register` in the trace."""
            arguments = [self.tensor, ConstantVariable.create(f"#{self.place}"), self, function]
            inline(tx, register, arguments, {})

        def call_method(self, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
            """`remove()` of the handle."""
            if name != "remove":
                raise trace_state.SiteRefused(f"`{name}` of the handle of a hook on a tensor is called")
            if self.idx != self.REMOVED:
                self.register(tx, ConstantVariable.create(None))
                self.idx = self.REMOVED
            return ConstantVariable.create(None)

        def reconstruct(self, codegen: Any) -> None:
            """Emit the call of `hook_runner.handle_of`."""
            codegen.add_push_null(lambda: codegen.load_import_from(hook_runner.__name__, "handle_of"))
            codegen.extend_output([codegen.create_load_const(value) for value in (self.place, self.number)])
            codegen.extend_output(create_call_function(2, False))

    read_name = torch_names.method("read")
    read_original = getattr(RemovableHandleVariable, read_name)

    def read_attribute(self: Any, tx: Any, name: str) -> Any:
        if name != "remove":
            raise trace_state.SiteRefused(f"`{name}` of the handle of a hook on a tensor is asked for")
        return read_original(self, tx, name)

    setattr(Handle, read_name, read_attribute)
    return Handle


# ---- On the traced graph ----


def hooked_nodes(module: GraphModule) -> dict[Node, Node]:
    """The tensors with hooks, and the last mark of each."""
    return {node.args[1]: node for node in module.graph.nodes if kind_of(node) == "hook"}


def refuse_hooks(module: GraphModule, marks: Marks, trace: trace_state.Trace) -> None:
    """Refuse a graph, or branches of the graph, in which hooks would see values unlike those of eager Python."""
    nodes = hooked_nodes(module)
    if not nodes:
        return
    if inner_gradients.differentiates(module):
        raise trace_state.SiteRefused("a tensor has a hook, and the function computes gradients itself")
    for region in marks.regions:
        if any(branch_proofs.requires_grad(side) for select in region.selects for side in select.sides):
            trace.refuse(region.site, "a tensor has a hook, and the branch chooses what has a gradient")
    order = branch_proofs.Order(module)
    for node in nodes:
        storage = node_facts.storage_of(tensor_of(node))
        if storage is None or order.written_after(storage, node):
            raise trace_state.SiteRefused("a tensor with a hook is written to")
        if any(may_be_same_tensor(node, other) for other in module.graph.nodes if other is not node):
            raise trace_state.SiteRefused("a tensor with a hook may be another tensor, too")
    input_storages = [
        node_facts.storages_of(node) for node in module.graph.nodes if node.op in ("placeholder", "get_attr")
    ]
    seen: set[int] = set().union(*input_storages)
    for output in outputs_of(module):
        if isinstance(output, Node) and branch_proofs.requires_grad(output):
            if node_facts.storages_of(output) & seen:
                raise trace_state.SiteRefused("a tensor has a hook, and results of the function share memory")
            seen |= node_facts.storages_of(output)
    written_storages = set().union(*map(node_facts.writes_of, module.graph.nodes))
    if any(
        branch_proofs.requires_grad(node) and node_facts.storages_of(node) & written_storages
        for node in inputs_of(module)
    ):
        raise trace_state.SiteRefused("a tensor has a hook, and an input with a gradient is written to")


def inputs_of(module: GraphModule) -> list[Node]:
    """The inputs of a graph, parameters included."""
    return [node for node in module.graph.nodes if node.op in ("placeholder", "get_attr")]


def may_be_same_tensor(first: Node, second: Node) -> bool:
    """Whether two nodes may give the same tensor: the same memory, with the same shape and strides."""
    one, other = tensor_of(first), tensor_of(second)
    if node_facts.storage_of(one) is None or node_facts.storage_of(one) != node_facts.storage_of(other):
        return False
    layouts = [(value.shape, value.stride(), value.storage_offset()) for value in (fake_of(first), fake_of(second))]
    return layouts[0] == layouts[1] and branch_proofs.requires_grad(second)


def place_hooks(module: GraphModule) -> Optional[Hooks]:
    """Replace the marks of a graph by calls that put hooks on tensors; None without marks."""
    marks = hooked_nodes(module)
    if not marks:
        return None
    places = {node: int(str(mark.args[0]).lstrip("#")) for node, mark in marks.items()}
    leads, behind = flows(module, places)
    order = {node: position for position, node in enumerate(module.graph.nodes)}
    early = {}
    for node, place in places.items():
        producer = node.args[0] if node.target is operator.getitem and isinstance(node.args[0], Node) else node
        early[place] = frozenset(
            position
            for position, placeholder in enumerate(module.graph.find_nodes(op="placeholder"))
            if all(order[user] > order[producer] for user in placeholder.users if branch_proofs.requires_grad(user))
        )
    registered = [node for node in module.graph.nodes if kind_of(node) == "hook"]
    for node in registered:
        tensor = node_at(node, 1)
        if node is marks[tensor]:
            with module.graph.inserting_before(node):
                module.graph.call_function(hooked, (tensor, places[tensor]))
        module.graph.erase_node(node)
    return Hooks(leads, behind, early)


def flows(module: GraphModule, places: dict[Node, int]) -> tuple[dict[int, frozenset[int]], dict[int, frozenset[int]]]:
    """The hooked tensors behind each output, and the inputs behind each hooked tensor."""
    table: Dependences = {}
    behind: dict[int, frozenset[int]] = {}
    position = -1
    for node in module.graph.nodes:
        position += node.op == "placeholder"
        dependences = INDEPENDENT.union(*(dependences_of(table, source) for source in node.all_input_nodes))
        if node.op == "placeholder":
            dependences = frozenset([("input", position)])
        if node in places:
            behind[places[node]] = frozenset(number for kind, number in dependences if kind == "input")
            dependences |= {("hook", places[node])}
        for storage in node_facts.writes_of(node):
            table[storage] = table.get(storage, INDEPENDENT) | dependences
        if node_facts.records_gradient(node):
            table[node] = dependences
    leads = {
        position: frozenset(number for kind, number in dependences_of(table, node) if kind == "hook")
        for position, node in enumerate(outputs_of(module))
        if isinstance(node, Node) and branch_proofs.requires_grad(node)
    }
    return leads, behind


def dependences_of(table: Dependences, node: Node) -> frozenset[Dependence]:
    """The inputs and hooks that a node depends on, as an operand and through writes to memory."""
    return table.get(node, INDEPENDENT).union(
        *(table.get(storage, INDEPENDENT) for storage in node_facts.storages_of(node))
    )
