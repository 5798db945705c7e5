"""Guards against questions that a mended graph cannot answer: object identity of selected tensors, surroundings of
effects.

    y = x if test else -x        # the graph selects: y is a new tensor, and neither x nor -x
    if y is x: ...               # Dynamo would answer False at trace time, without a trace in the graph

A selected tensor is a copy, without the identity, the attributes and the history of its source. A deferred effect runs
outside of everything that surrounds its statement: exception handlers, autocast and other modes. The hooks of this
module refuse a trace in which the program could notice either.
"""

from __future__ import annotations

import dataclasses
import dis
import enum
import functools
import logging
import os
import types
from typing import Any, Callable, Iterator, Optional

import torch
from torch.fx import GraphModule

from ..analysis.impure_functions import VALUES
from ..base import hooks, torch_names, trace_state
from ..base.dynamo_types import NumberVariable, Variable
from ..base.dynamo_values import is_unread
from ..base.marker_ops import kind_of


@dataclasses.dataclass
class Identities:
    """The copies, modes and clocks of one trace that questions and deferred effects depend on."""

    selected: dict[int, tuple[str, Any]] = dataclasses.field(default_factory=dict)  # by id: site and fake tensor
    parameters: set[int] = dataclasses.field(default_factory=set)  # those of `selected` that stand for a parameter
    surroundings: Optional[tuple[Any, ...]] = None  # the modes around the call
    clock: Any = None  # the graph behind which deferred work reads the clock


FEATURE = hooks.Feature(
    __name__, hooks.GUARD, "nobody asks which tensor a selected copy is", partial=True, state=Identities
)

# Attributes by which a program can tell a tensor from a copy with equal values. Attributes unknown to torch were set by
# the program, and tell, too.
IDENTITY = frozenset(
    "is_leaf grad grad_fn _grad_fn _base _version _is_view data_ptr storage untyped_storage storage_offset output_nr "
    "retains_grad retain_grad _backward_hooks names register_hook requires_grad_ backward".split()
)

# Attributes that a copy shares with the tensor, or that give a value without history.
COPIED = frozenset("shape dtype device ndim size layout tolist data detach".split())

HOOKS = ("register_hook", "register_post_accumulate_grad_hook")

# Functions of Dynamo that answer `isinstance` and `type`.
TYPE_QUESTIONS = frozenset(("call_isinstance", "check_type", "call_type"))

# Types of immutable objects: the text of an object never changes.
KEPT = frozenset(
    (type(None), bool, int, float, complex, str, bytes, slice, range)
    + (torch.Size, torch.dtype, torch.device, torch.layout, torch.memory_format)
    + VALUES
)
# Base types of objects with constant text. Loggers are among them, because a sink calls a logger and never shows it.
KEPT_KINDS = (
    enum.Enum,
    type,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.ModuleType,
    logging.Logger,
    logging.LoggerAdapter,
)


def surroundings() -> tuple[Any, ...]:
    """The modes that change the result of an operation, except the recording of gradients."""
    kinds = ("cpu", "cuda")
    return (
        [(torch.is_autocast_enabled(kind), torch.get_autocast_dtype(kind)) for kind in kinds],
        torch.get_default_dtype(),
    )


def in_block_of_mode(tx: Any) -> bool:
    """Whether the traced call has entered or left a block of a function mode, such as `with torch.device(...)`.

    Dynamo takes the modes around the call off while it traces, and keeps them in a list of its own.
    """
    return len(tx.symbolic_torch_function_state.mode_stack) != len(tx.output.torch_function_mode_stack)


@FEATURE.scope
def note_surroundings(trace: trace_state.Trace) -> Iterator[None]:
    """Note the modes around the call."""
    FEATURE.of(trace).surroundings = surroundings()
    yield


def note_selected(trace: trace_state.Trace, site: str, value: Any, is_parameter: bool) -> None:
    """Note a fake tensor that was selected from two sides."""
    identities = FEATURE.of(trace)
    identities.selected[id(value)] = site, value
    if is_parameter:
        identities.parameters.add(id(value))


def note_clock(trace: trace_state.Trace, output: Any) -> bool:
    """Note that the clock is read behind a graph; returns whether deferred work already reads it there."""
    identities = FEATURE.of(trace)
    before, identities.clock = identities.clock, output
    return before is output


@FEATURE.hook("number.create")
def create_number(
    create: Any, trace: trace_state.Trace, cls: Any, tx: Any, proxy: Any, *args: Any, **kwargs: Any
) -> Any:
    """Refuse number arithmetic that Dynamo simplifies away: `v == v` and `v - v == 0` are False for NaN."""
    result = create(cls, tx, proxy, *args, **kwargs)
    if trace.whole and drops_numbers(proxy.node):
        raise trace_state.SiteRefused("what it computes with numbers from tensors is another thing for NaN")
    return result


@FEATURE.hook("compare")
def compare_objects(compare: Any, trace: trace_state.Trace, sign: str, tx: Any, sides: Any, options: Any) -> Any:
    """Refuse a program that asks whether a data-dependent number is a certain object, such as True.

    Dynamo answers False for every symbolic number; without symbolic numbers in graphs, Python answers. A number implied
    by the path counts, too (`n > 3` is False where `n == 0` held). Dynamo's own Python for `list.index` asks `one is
    other or one == other`, and the second question decides for numbers.
    """
    is_question = trace.whole and sign in ("is", "is not")
    if is_question and any(map(is_symbolic, sides)) and any(map(is_number, sides)) and not is_polyfill(tx.f_code):
        raise trace_state.SiteRefused("the function asks which object a number is that data decide")
    return hooks.DECLINED


def is_polyfill(code: types.CodeType) -> bool:
    """Whether the code is Dynamo's own Python for a function of C."""
    from ..base.torch_names import polyfills

    return code.co_filename.startswith(os.path.dirname(polyfills.__file__))


def drops_numbers(node: Any) -> bool:
    """Whether the symbolic result of a node lacks a floating-point symbol of the node's operands."""
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

    operands = [source.meta.get("example_value") for source in node.all_input_nodes]
    floats = [free_unbacked_symbols(value) for value in operands if isinstance(value, torch.SymFloat)]
    if not any(floats):
        return False
    value = node.meta.get("example_value")
    is_symbolic = isinstance(value, (torch.SymFloat, torch.SymInt, torch.SymBool))
    return not set().union(*floats) <= (free_unbacked_symbols(value) if is_symbolic else set())


def is_number(variable: Variable) -> bool:
    """Whether Dynamo's variable is a number of the program, such as True."""
    return bool(variable.is_python_constant()) and isinstance(variable.as_python_constant(), (int, float))


def is_symbolic(variable: Variable) -> bool:
    """Whether Dynamo's variable is a symbolic number."""
    return isinstance(variable.realize(), number_class())


def decided_by_data(variable: Variable) -> bool:
    """Whether Dynamo's variable is a number that exists only when the graph runs."""
    if not is_symbolic(variable):
        return False
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

    return bool(free_unbacked_symbols(variable.realize().sym_num))


@functools.lru_cache(maxsize=None)
def number_class() -> type[NumberVariable]:
    """Dynamo's class of variables for symbolic numbers; imported late, because Dynamo may not be loaded yet."""
    from ..base.torch_names import SymNodeVariable

    number: type[NumberVariable] = SymNodeVariable
    return number


def refuse_selected(trace: trace_state.Trace, value: Any) -> None:
    """Refuse the site of a selected tensor whose identity the program asks for."""
    site = FEATURE.of(trace).selected[id(value)][0]
    trace.refuse(site, "the function asks which tensor a result is, which a selected copy cannot tell")
    raise trace_state.SiteRefused(site)


@functools.lru_cache(maxsize=None)
def tensor_class() -> type[Variable]:
    """Dynamo's class of variables for tensors; imported late, because Dynamo may not be loaded yet."""
    from ..base.torch_names import TensorVariable

    tensor: type[Variable] = TensorVariable
    return tensor


def is_programs_own(name: str) -> bool:
    """Whether torch knows no attribute of this name, so that the program has set the attribute."""
    return name not in torch_names.all_tensor_attrs


@FEATURE.hook("tensor.compare_identity", needed=False)
def watch_compare(compare: Any, trace: trace_state.Trace, node: Any, *args: Any, **kwargs: Any) -> Any:
    """Refuse `is` with a selected tensor."""
    value = compare(node, *args, **kwargs)
    if id(value) in FEATURE.of(trace).selected:
        refuse_selected(trace, value)
    return value


@FEATURE.hook("tensor.getattr")
def watch_attribute(get: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Refuse attributes by which a program can tell a selected copy from its source."""
    if name == "_version" and trace.touched:
        for site in trace.touched:
            trace.refuse(site, "the function counts how often a tensor was written to")
        raise trace_state.SiteRefused(name)
    if name in HOOKS and not self.requires_grad:
        # Python raises here. Dynamo would raise at the end of the graph, behind the statements that follow.
        raise trace_state.SiteRefused("a hook on a tensor that has no gradient")
    selected = FEATURE.of(trace).selected
    if selected and (name in IDENTITY or is_programs_own(name)):
        value = self.as_proxy().node.meta.get("example_value")
        if id(value) in selected:
            refuse_selected(trace, value)
    return hooks.DECLINED


@FEATURE.hook("tensor.type")
def watch_type(type_of: Callable[..., type], trace: trace_state.Trace, self: Any) -> Any:
    """Refuse the type of a selected parameter: the copy is a plain tensor."""
    parameters = FEATURE.of(trace).parameters
    if parameters and hooks.calling_frame().f_code.co_name in TYPE_QUESTIONS:
        value = self.as_proxy().node.meta.get("example_value")
        if id(value) in parameters:
            refuse_selected(trace, value)
    return hooks.DECLINED


@FEATURE.hook("dict.key")
def watch_key(make_key: Any, trace: trace_state.Trace, self: Any, vt: Any) -> None:
    """Refuse a selected tensor as a key of a dictionary; a key that the trace has not read stays so."""
    make_key(self, vt)
    selected = FEATURE.of(trace).selected
    if selected and not is_unread(self.vt) and isinstance(self.vt, tensor_class()):
        value = self.vt.as_proxy().node.meta.get("example_value")
        if id(value) in selected:
            refuse_selected(trace, value)


def computes(code: types.CodeType) -> bool:
    """Whether a sink does more than pass its parameters to one function: formats, indexes, calls, computes.

    Sink is the function that carries out a deferred effect.
    """
    calls = 0
    for instruction in dis.get_instructions(code):
        name = instruction.opname
        calls += name in ("CALL", "CALL_FUNCTION", "CALL_METHOD", "CALL_KW", "CALL_FUNCTION_KW")
        has_format = name == "FORMAT_VALUE" and instruction.arg is not None and instruction.arg & 4
        if has_format or name == "FORMAT_WITH_SPEC" or name.startswith(("BINARY_", "CALL_FUNCTION_EX", "GET_ITER")):
            return True
    return calls > 1


CLOCKS = frozenset(["time", "perf_counter", "monotonic", "process_time", "thread_time"])


def second_clock(code: types.CodeType, trace: trace_state.Trace, tx: Any) -> bool:
    """Whether a sink reads the clock, and an earlier sink of the graph did, too: the time in between would be lost."""
    methods = [
        item.argval for item in dis.get_instructions(code) if item.opname in ("LOAD_ATTR", "LOAD_METHOD", "LOAD_GLOBAL")
    ]
    if not any(isinstance(name, str) and name.replace("_ns", "") in CLOCKS for name in methods):
        return False
    return note_clock(trace, tx.output)


def unsafe_sink(code: types.CodeType, trace: trace_state.Trace, tx: Any) -> Optional[str]:
    """The reason why a sink cannot run later than its statement; None if the sink can."""
    if second_clock(code, trace, tx):
        return "the clock is read a second time behind the graph"
    if computes(code) and (surroundings() != FEATURE.of(trace).surroundings or in_block_of_mode(tx)):
        return "it computes what it shows under autocast or another mode"
    return None


WHERE_EFFECTS_GO = ("sys", "warnings", "logging", "builtins")


def refuse_replaced(module: GraphModule, output: Any) -> None:
    """Refuse deferred effects in a call that changes the destination of effects: replaces `sys.stdout`, silences a
    logger.
    """
    if not any(kind_of(node) == "event" for node in module.graph.nodes):
        return
    for variable, changes in output.side_effects.store_attr_mutations.items():
        value = getattr(variable, "value", None)
        replaces_stream = changes and isinstance(value, types.ModuleType) and value.__name__ in WHERE_EFFECTS_GO
        changes_logging = isinstance(value, (logging.Filterer, logging.Manager, logging.LoggerAdapter))
        changes_texts = type(value).__module__ in ("torch._tensor_str", "string", "reprlib")
        if replaces_stream or (changes and (changes_logging or changes_texts)):
            raise trace_state.SiteRefused("the function changes where its effects go")


TEXTS = ("__repr__", "__str__", "__format__")
IN_C = (types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType)


def shows_items_alone(kind: type, uses_methods: bool) -> bool:
    """Whether the text of a tuple, and its methods where a sink uses methods, show nothing but the items.

    Classes of Python and named tuples do; a class of the program may show attributes, and attributes change.
    """
    members = [getattr(kind, name) for name in TEXTS]
    if uses_methods and kind.__dictoffset__:
        return False
    if uses_methods:
        named = [item for base in kind.__mro__ for item in vars(base).items() if item[0] != "__new__"]
        members += [member for _, member in named if callable(member) or isinstance(member, (property, classmethod))]
    homes = [getattr(getattr(member, "__func__", member), "__module__", None) for member in members]
    return all(isinstance(member, IN_C) or home in ("collections", "typing") for member, home in zip(members, homes))


def plain_repr(kind: type) -> bool:
    """Whether the text of an object shows nothing of the object's state."""
    return all(getattr(kind, name) is getattr(object, name) for name in ("__repr__", "__str__", "__format__"))


def type_of(variable: Variable) -> Optional[type]:
    """The type of the object behind Dynamo's variable; None where Dynamo does not know the type."""
    try:
        return variable.python_type()
    except NotImplementedError:
        return None


def unsafe_value(variable: Variable, tx: Any, uses_methods: bool) -> Optional[str]:
    """The reason why an object cannot be kept for a deferred effect; None if the object shows the same later.

    `uses_methods`: the sink uses methods of the object, which may show more than its text.
    """
    kind = type_of(variable)
    if kind is None:
        return f"it shows an object of unknown type ({type(variable).__name__})"
    if kind in KEPT or issubclass(kind, KEPT_KINDS):
        return None
    if not uses_methods and plain_repr(kind) and not issubclass(kind, torch.nn.Module):
        return None
    is_row = issubclass(kind, (tuple, frozenset)) and hasattr(variable, "items")
    if is_row and shows_items_alone(kind, uses_methods):
        parts = variable.unpack_var_sequence(tx)
        if not any(part.is_tensor() or unsafe_value(part, tx, uses_methods) is not None for part in parts):
            return None
    return f"it shows an object that may change before the call ends ({kind.__name__})"


CONSTANTS = ("LOAD_CONST", "LOAD_SMALL_INT")
BUILDERS = ("BUILD_SLICE", "BUILD_TUPLE")
IN_PLACE = range(13, 26)  # in-place operators among the arguments of BINARY_OP; Python 3.14 has `v[0]` as number 26
NO_STEPS = ("CACHE", "EXTENDED_ARG", "NOT_TAKEN")


def is_asked(following: list[dis.Instruction]) -> bool:
    """Whether the next steps take an attribute, an item or a comparison with constants from the value on top of the
    stack.

    `v.sum()` loads v and then an attribute; `v[0, 1:]` and `v > 0` load v, build constants, and take two values off.
    """
    depth = 0
    for step in following:
        if step.opname in CONSTANTS:
            depth += 1
        elif step.opname in BUILDERS and step.arg is not None:
            depth -= step.arg - 1
        elif step.opname == "BINARY_OP":
            return depth == 1 and step.arg not in IN_PLACE
        elif step.opname.startswith(("BINARY_", "COMPARE_OP")):
            return depth == (2 if step.opname == "BINARY_SLICE" else 1)
        else:
            return depth == 0 and step.opname in ("LOAD_ATTR", "LOAD_METHOD") and gives_another(step.argval)
    return False


@functools.lru_cache(maxsize=None)
def gives_another(name: str) -> bool:
    """Whether an attribute of a tensor gives a new tensor or a number, never the tensor itself, by the operator's
    schemas.

    `v.sum()` gives a new tensor; `v.flatten()` may be v itself.
    """
    packet = getattr(torch.ops.aten, name, None)
    if name in COPIED or not isinstance(packet, torch_names.OpOverloadPacket):  # `name` is a text of the namespace
        return name in COPIED
    schemas = [getattr(packet, overload)._schema for overload in packet.overloads()]
    methods = [schema for schema in schemas if takes_tensor(schema) and not schema.arguments[-1].is_out]
    is_shared = any(part.alias_info for schema in methods for part in (*schema.arguments, *schema.returns))
    kinds = [str(part.type) for schema in methods for part in schema.returns]
    return not is_shared and all(kind in ("Tensor", "number") for kind in kinds)


def takes_tensor(schema: Any) -> bool:
    """Whether the first argument of an operator is a tensor."""
    return bool(schema.arguments) and str(schema.arguments[0].type) == "Tensor"


def loaded_parameters(code: types.CodeType) -> Iterator[tuple[str, list[dis.Instruction]]]:
    """Each load of a parameter by a sink, with the steps that follow while the parameter is on top of the stack."""
    return loads_of_names(code, frozenset(code.co_varnames[: code.co_argcount]))


def loads_of_names(code: types.CodeType, names: frozenset[str]) -> Iterator[tuple[str, list[dis.Instruction]]]:
    """Each load of a variable of `names`, with the steps that follow while the value is on top of the stack.

    An instruction may load two variables at once. The first of the two has no steps.
    """
    steps = [step for step in dis.get_instructions(code) if step.opname not in NO_STEPS]
    for place, step in enumerate(steps):
        if step.opname.startswith("LOAD_FAST") and step.opname != "LOAD_FAST_AND_CLEAR":
            *below, top = step.argval if isinstance(step.argval, tuple) else (step.argval,)
        elif step.opname == "STORE_FAST_LOAD_FAST":
            below, top = [], step.argval[1]
        else:
            continue
        yield from ((name, []) for name in below if name in names)
        if top in names:
            yield top, steps[place + 1 : place + 12]


def shows_whole(code: types.CodeType) -> bool:
    """Whether a sink may show a parameter itself, and not only values computed from a copy of the parameter."""
    return not all(is_asked(following) for _, following in loaded_parameters(code))
