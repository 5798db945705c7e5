"""Hooks on tensors of the graph that do more than compute: print, record, look at numbers or at the state of a module.

Such a hook is a call of Python in the middle of the backward pass. The graph only says where: there, an operator of the
backward graph calls the program's own function with the gradient. The function is handed over when the graph has
returned, as deferred work. Eager Python differs in three things, which are decided when the backward pass runs:

- a hook runs only where a gradient comes to its tensor, and goes on to something that is asked for;
- an exception ends the pass, but leaves that have got their gradients before have them;
- hooks on leaves run in between. With such hooks the call runs in eager Python.

A backend that differentiates nothing itself has the tensors at hand, and the hooks are put on them.
"""

from __future__ import annotations

import dis
import functools
import inspect
import operator
from types import CodeType, FunctionType
from typing import Any, Callable, Iterator, Optional

import torch
from torch.fx import GraphModule, Node

from . import gradients, hook_calls, prove, state, undo
from .hook_calls import Hooks, attach, hooked
from .markers import hook as marker
from .markers import kind_of
from .reach import EMPTY
from .reachable import is_trusted, vars_of
from .regions import Marks, tensor_of
from .spelled import inline

# By these a hook looks at what a backward graph has not done yet, or at where it is called from.
FORBIDDEN = frozenset(
    "grad backward zero_grad step register_hook register_post_accumulate_grad_hook retain_grad queue_callback "
    "saved_tensors _getframe currentframe extract_stack format_stack print_stack stack exec eval globals locals "
    "detect_anomaly set_detect_anomaly set_grad_enabled".split()
)
MAX_DEPTH = 4


# ---- While a call is traced ----


@state.in_whole_calls
def hooks_called(trace: state.Trace) -> Iterator[None]:
    """Let a trace of a whole call inside the block leave hooks to Python that it cannot follow."""
    from torch._dynamo.variables.tensor import TensorVariable

    register = getattr(TensorVariable, "_method_register_hook", None)
    if register is None:
        yield
        return

    def registering(self: Any, tx: Any, name: str, hook: Any) -> Any:
        if self.source or name != "register_hook" or torch._dynamo.compiled_autograd.compiled_autograd_enabled:
            return register(self, tx, name, hook)
        if trace.hosts:
            return left_to_python(trace, tx, self, hook)
        try:
            return register(self, tx, name, hook)
        except Exception:
            trace.drawing = True  # try again, with what Dynamo cannot follow as operators
            raise

    with state.replaced((TensorVariable, "_method_register_hook", registering)):
        yield


def left_to_python(trace: state.Trace, tx: Any, tensor: Any, hook: Any) -> Any:
    """Dynamo's variable for the handle of a hook that Python calls."""
    if trace.open or tx.output.current_tracer.parent is not None:
        raise state.SiteRefused("a hook on a tensor is registered inside a branch or a higher-order operator")
    reason = unsuitable_variable(hook.realize())
    if reason is not None:
        raise state.SiteRefused(reason)
    hook_calls.keep_order()
    undo.watch(trace, tx.output.side_effects)
    place = trace.hooked.setdefault(tensor.as_proxy().node, len(trace.hooked))
    trace.keys += 1
    handle = handle_class()(tensor, place, trace.keys)
    handle.register(tx, hook)
    return handle


def register(tensor: torch.Tensor, key: str, handle: Any, function: Optional[Callable[..., Any]]) -> None:
    """Note a hook in the graph, and have it handed over behind the graph; or taken back if there is no function."""
    marker(key, tensor)
    state.local.queue.append((state.local, attach, torch.is_grad_enabled(), None, handle, function))


def unsuitable_variable(variable: Any) -> Optional[str]:
    """Why Dynamo's variable for a hook is none that Python can call inside a backward graph, None if it is one."""
    from torch._dynamo import variables as kinds

    if type(variable) is kinds.FunctoolsPartialVariable:
        return unsuitable_variable(variable.func.realize())
    if type(variable) is kinds.BuiltinVariable and variable.fn is print:
        return None
    if type(variable) is kinds.GetAttrVariable and variable.name == "append":
        owner = variable.obj.realize()
        return None if type(owner) is kinds.ListVariable else "a hook on a tensor is a method of no list"
    if type(variable) in (kinds.NestedUserFunctionVariable, kinds.UserFunctionVariable, kinds.UserMethodVariable):
        return unsuitable(variable.get_code(), variable.get_globals(), MAX_DEPTH)
    if type(variable) is kinds.UserDefinedObjectVariable:
        members = vars_of(variable.python_type())
        if isinstance(members.get("__call__"), FunctionType):
            return unsuitable(members["__call__"].__code__, members["__call__"].__globals__, MAX_DEPTH)
    return "a hook on a tensor is no plain function"


def unsuitable(code: CodeType, variables: dict, depth: int) -> Optional[str]:
    """Why a hook with this code may notice that it runs inside a backward graph, None if it does not."""
    if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        return "a hook on a tensor is a generator or a coroutine"
    names = set(code.co_names)
    forbidden = FORBIDDEN & names
    if forbidden:
        return f"a hook on a tensor may use `{min(forbidden)}`"
    if any(name.endswith("_") and not name.endswith("__") for name in names) or writes_to_parameter(code):
        return "a hook on a tensor may write to the gradient, which others may hold, too"
    for part in code.co_consts:
        if isinstance(part, tuple) and "stacklevel" in part:
            return "a hook on a tensor names a place on the stack"
    parts = [(part, variables) for part in code.co_consts if isinstance(part, CodeType)]
    if depth:
        parts += [(function.__code__, function.__globals__) for function in functions(names, variables)]
    for part, its in parts:
        reason = unsuitable(part, its, depth - 1 if depth else 0)
        if reason is not None:
            return reason
    return None


def functions(names: set[str], variables: dict) -> Iterator[FunctionType]:
    """The functions of the program that names stand for, among its globals and in its classes."""
    tables = [variables, *(vars(value) for value in list(variables.values()) if isinstance(value, type))]
    for table in tables:
        for name in names & table.keys():
            if isinstance(table[name], FunctionType) and not is_trusted(table[name].__module__):
                yield table[name]


def writes_to_parameter(code: CodeType) -> bool:
    """Whether code may write to a tensor that it is given: `g *= 2`, `g[0] = 0`."""
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
        asked = following.opname in ("LOAD_ATTR", "LOAD_METHOD")
        if not item.starts_line and set(names) & set(loaded[:-1] if asked else loaded):
            return True
    return False


@functools.lru_cache(maxsize=None)
def handle_class() -> type:
    """The class of Dynamo's variables for handles of such hooks; made late because Dynamo is loaded late."""
    from torch._dynamo.bytecode_transformation import create_call_function
    from torch._dynamo.variables import ConstantVariable
    from torch._dynamo.variables.user_defined import RemovableHandleVariable

    class Handle(RemovableHandleVariable):
        """The handle of a hook on a tensor of the graph; Python's own is made behind the graph."""

        def __init__(self, tensor: Any, place: int, number: int, **options: Any) -> None:
            super().__init__(**options)
            self.tensor = tensor
            self.place = place
            self.number = number

        def register(self, tx: Any, function: Any) -> None:
            arguments = [self.tensor, ConstantVariable.create(f"#{self.place}"), self, function]
            inline(tx, register, arguments, {})

        def call_method(self, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
            if name != "remove":
                raise state.SiteRefused(f"`{name}` of the handle of a hook on a tensor is called")
            if self.idx != self.REMOVED:
                self.register(tx, ConstantVariable.create(None))
                self.idx = self.REMOVED
            return ConstantVariable.create(None)

        def var_getattr(self, tx: Any, name: str) -> Any:
            if name != "remove":
                raise state.SiteRefused(f"`{name}` of the handle of a hook on a tensor is asked for")
            return super().var_getattr(tx, name)

        def reconstruct(self, codegen: Any) -> None:
            codegen.add_push_null(lambda: codegen.load_import_from(hook_calls.__name__, "handle_of"))
            codegen.extend_output([codegen.create_load_const(value) for value in (self.place, self.number)])
            codegen.extend_output(create_call_function(2, False))

    return Handle


# ---- On the traced graph ----


def hooked_nodes(module: GraphModule) -> dict[Node, Node]:
    """The tensors that have such hooks, with a mark."""
    return {node.args[1]: node for node in module.graph.nodes if kind_of(node) == "hook"}


def refuse_hooks(module: GraphModule, marks: Marks, trace: state.Trace) -> None:
    """Refuse a graph, or branches in it, in which hooks would see something else than in eager Python."""
    nodes = hooked_nodes(module)
    if not nodes:
        return
    if gradients.differentiates(module):
        raise state.SiteRefused("a tensor has a hook, and the function computes gradients itself")
    for region in marks.regions:
        if any(prove.requires_grad(side) for select in region.selects for side in select.sides):
            trace.refuse(region.site, "a tensor has a hook, and the branch chooses what has a gradient")
    order = prove.Order(module)
    for node in nodes:
        storage = prove.storage_of(tensor_of(node))
        if storage is None or order.written_after(storage, node):
            raise state.SiteRefused("a tensor with a hook is written to")
        if any(is_alike(node, other) for other in module.graph.nodes if other is not node):
            raise state.SiteRefused("a tensor with a hook may be another tensor, too")
    held = [prove.storages_of(node) for node in module.graph.nodes if node.op in ("placeholder", "get_attr")]
    seen = set().union(*held)
    for output in module.graph.output_node().args[0]:
        if isinstance(output, Node) and prove.requires_grad(output):
            if prove.storages_of(output) & seen:
                raise state.SiteRefused("a tensor has a hook, and results of the function share memory")
            seen |= prove.storages_of(output)
    written = set().union(*map(prove.writes_of, module.graph.nodes))
    if any(prove.requires_grad(node) and prove.storages_of(node) & written for node in inputs_of(module)):
        raise state.SiteRefused("a tensor has a hook, and an input with a gradient is written to")


def inputs_of(module: GraphModule) -> list[Node]:
    """What a graph is given."""
    return [node for node in module.graph.nodes if node.op in ("placeholder", "get_attr")]


def is_alike(first: Node, second: Node) -> bool:
    """Whether two nodes give tensors that may be one: the same memory, seen in the same way."""
    one, other = tensor_of(first), tensor_of(second)
    if prove.storage_of(one) is None or prove.storage_of(one) != prove.storage_of(other):
        return False
    known = [(value.shape, value.stride(), value.storage_offset()) for value in (one, other)]  # type: ignore[union-attr]
    return known[0] == known[1] and prove.requires_grad(second)


def place_hooks(module: GraphModule) -> Optional[Hooks]:
    """Replace the marks of a graph by calls that put hooks on its tensors; None if there are none."""
    marks = hooked_nodes(module)
    if not marks:
        return None
    places = {node: int(mark.args[0].lstrip("#")) for node, mark in marks.items()}  # type: ignore[union-attr]
    leads, behind = flows(module, places)
    order = {node: position for position, node in enumerate(module.graph.nodes)}
    early = {}
    for node, place in places.items():
        made = node.args[0] if node.target is operator.getitem and isinstance(node.args[0], Node) else node
        early[place] = frozenset(
            position
            for position, given in enumerate(module.graph.find_nodes(op="placeholder"))
            if all(order[user] > order[made] for user in given.users if prove.requires_grad(user))
        )
    registered = [node for node in module.graph.nodes if kind_of(node) == "hook"]
    for node in registered:
        if node is marks[node.args[1]]:
            with module.graph.inserting_before(node):
                module.graph.call_function(hooked, (node.args[1], places[node.args[1]]))
        module.graph.erase_node(node)
    return Hooks(leads, behind, early)


def flows(module: GraphModule, places: dict[Node, int]) -> tuple[dict[int, frozenset], dict[int, frozenset]]:
    """The tensors with hooks that outputs depend on, and the inputs that those depend on."""
    table: dict[Any, frozenset] = {}
    behind: dict[int, frozenset] = {}
    position = -1
    for node in module.graph.nodes:
        position += node.op == "placeholder"
        found = EMPTY.union(*(read(table, source) for source in node.all_input_nodes))
        if node.op == "placeholder":
            found = frozenset([("input", position)])
        if node in places:
            behind[places[node]] = frozenset(number for kind, number in found if kind == "input")
            found |= {("hook", places[node])}
        for storage in prove.writes_of(node):
            table[storage] = table.get(storage, EMPTY) | found
        values = tensor_of(node) if isinstance(tensor_of(node), (tuple, list)) else (tensor_of(node),)
        if any(isinstance(value, torch.Tensor) and value.requires_grad for value in values):  # type: ignore
            table[node] = found
    leads = {
        position: frozenset(number for kind, number in read(table, node) if kind == "hook")
        for position, node in enumerate(module.graph.output_node().args[0])
        if isinstance(node, Node) and prove.requires_grad(node)
    }
    return leads, behind


def read(table: dict[Any, frozenset], node: Node) -> frozenset:
    """What a node depends on, by itself and by what is written into its memory."""
    return table.get(node, EMPTY).union(*(table.get(storage, EMPTY) for storage in prove.storages_of(node)))
