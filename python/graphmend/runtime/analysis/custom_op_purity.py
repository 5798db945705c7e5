"""Custom operators in Python that only compute, proved from the code of the kernel.

A failed guard runs the call again, and every operator runs twice. PyTorch's own operators do not mind. A custom
operator of the program may have effects:

    @torch.library.custom_op("app::scale", mutates_args=())
    def scale(x: Tensor) -> Tensor:
        return x.clone() * 2              # only computes; `print(x)` in front would show twice

The proof reads the bytecode. A kernel only computes if every name in the code is an argument, a function of torch that
computes, or a harmless builtin of Python.
"""

from __future__ import annotations

import builtins
import dis
import inspect
from types import CodeType, FunctionType
from typing import Any, Optional

import torch

from ..base import torch_names
from ..base.callable_code import is_suspended
from ..base.dialect_class import NAME, Dialect
from . import aten_facts

FUNCTIONS = frozenset(
    "abs all any bool divmod enumerate float int isinstance len list max min range reversed round slice sorted sum "
    "tuple zip".split()
)
ERRORS = frozenset("AssertionError IndexError NotImplementedError RuntimeError TypeError ValueError".split())

# Attributes and methods of arguments and results that only compute, beside the operators of ATen.
ATTRIBUTES = frozenset("T append device dim dtype extend is_cuda itemsize layout mT ndim requires_grad shape".split())
METHODS = frozenset("bool double element_size float half int long tolist type type_as".split())
STATEFUL = frozenset("backward from_file record_stream requires_grad_ retain_grad save set_ set_data".split())

# Instructions that load, store or import by a name, and the local variants that stay inside the function.
REACHING = ("LOAD_", "STORE_", "DELETE_", "IMPORT_", "MAKE_", "YIELD", "SEND", "GET_A", "PRINT")
LOCAL: tuple[str, ...] = (
    "LOAD_FAST",
    "LOAD_CONST",
    "LOAD_SMALL_INT",
    "LOAD_ASSERTION_ERROR",
    "LOAD_COMMON_CONSTANT",
    "STORE_FAST",
)
LOCAL += ("STORE_SUBSCR", "STORE_SLICE", "DELETE_FAST", "DELETE_SUBSCR")


def is_operator(name: str) -> bool:
    """Whether ATen has an operator of this name that works on tensors and draws no random numbers."""
    packet = getattr(torch.ops.aten, name, None) if not name.startswith("_") else None
    if not isinstance(packet, torch_names.OpOverloadPacket) or name in STATEFUL:
        return False
    overloads = [getattr(packet, overload) for overload in packet.overloads()]
    return any(map(is_on_tensors, overloads)) and not any(map(aten_facts.draws, overloads))


def is_on_tensors(overload: Any) -> bool:
    """Whether an operator takes or returns tensors, unlike operators that change a state of torch."""
    schema = overload._schema
    return any("Tensor" in str(item.type) for item in [*schema.arguments, *schema.returns])


def is_module(value: Any) -> bool:
    """Whether a global is torch, or the class of the dialect's calls."""
    return value is torch or value is Dialect


def may_ask(module: Any, name: str) -> bool:
    """Whether an attribute of this name only computes: of torch, of the dialect, or of a local value (`module` is
    None).
    """
    if module is torch:
        constants = (torch.dtype, torch.layout, torch.memory_format, int, float)
        return isinstance(getattr(torch, name, None), constants) or is_operator(name)
    if is_module(module):
        return name in ("on", "taken")
    return name in ATTRIBUTES | METHODS or is_operator(name)


def global_of(name: str, names: dict[str, Any]) -> Any:
    """The value of a global name in code with these globals; the name of the dialect is a builtin."""
    return names.get(name, Dialect if name == NAME else None)


def is_harmless(name: str, names: dict[str, Any]) -> bool:
    """Whether a function may use this global name, modules apart."""
    if name in names:
        return type(names[name]) in (bool, int, float, str, torch.dtype)
    return name in FUNCTIONS | ERRORS and hasattr(builtins, name)


def top_of(instruction: dis.Instruction) -> Any:
    """The name of the local variable on top of the stack behind an instruction; None for instructions of another
    kind.
    """
    value = instruction.argval if "LOAD_FAST" in instruction.opname else None
    return value[-1] if isinstance(value, tuple) else value


def reaches_out(code: CodeType, names: dict[str, Any], context: Optional[str]) -> bool:
    """Whether a function may touch more than its arguments; on the argument named `context` the code may set
    attributes.
    """
    before = None
    for instruction in dis.get_instructions(code):
        kind, name = instruction.opname, instruction.argval
        module = global_of(before.argval, names) if before is not None and before.opname == "LOAD_GLOBAL" else None
        holder = context is not None and before is not None and top_of(before) == context
        if is_module(module) and kind not in ("LOAD_ATTR", "LOAD_METHOD"):
            return True
        if kind == "LOAD_GLOBAL":
            if not is_module(global_of(name, names)) and not is_harmless(name, names):
                return True
        elif kind in ("LOAD_ATTR", "LOAD_METHOD"):
            if not (may_ask(module, name) or (holder and name == "save_for_backward")):
                return True
        elif kind == "STORE_ATTR":
            if not holder:
                return True
        elif kind.startswith(REACHING) and not kind.startswith(LOCAL):
            return True
        if kind not in ("PUSH_NULL", "CACHE", "EXTENDED_ARG"):
            before = instruction
    return False


def computes(function: Any, context: bool = False) -> bool:
    """Whether a function only computes; `context`: the first argument is the context of an autograd function."""
    if type(function) is not FunctionType or function.__closure__ or is_suspended(function.__code__):
        return False
    first = function.__code__.co_varnames[0] if context and function.__code__.co_varnames else None
    return not reaches_out(function.__code__, function.__globals__, first)


def only_computes(target: Any) -> bool:
    """Whether an operator of a graph is a custom operator in Python whose kernel only computes."""
    try:
        from ..base.torch_names import OPDEFS

        overload = target.default if isinstance(target, torch_names.OpOverloadPacket) else target
        definition = OPDEFS.get(overload._schema.name)
        if definition is None or overload._schema.is_mutable or set(definition._backend_fns) != {None}:
            return False
        kernel = definition._init_fn
        cells = inspect.unwrap(definition._backend_fns[None]).__closure__ or ()
        setup = definition._setup_context_fn
    except AttributeError:  # another torch
        return False
    if not any(cell.cell_contents is kernel for cell in cells):
        return False
    return computes(kernel) and (setup is None or computes(setup, context=True))
