"""Hooks of modules that a call registers and removes.

    handle = self.encoder.register_forward_hook(lambda module, inputs, output: seen.append(output))
    y = self.net(x)               # Dynamo runs the hooks that the module had before the call
    handle.remove()

A handle takes its number from a counter of torch, and Dynamo does not follow the counter. Here the call registers its
hooks in copies of the module's tables, under numbers below zero, and gets a handle of the runtime. Behind the graph the
tables must be as before, and the handles gone: a graph with a hook or handle that outlives the call is refused, and one
whose program looks at the numbers. `changing_hooks.py` guards that the module has the hooks of the trace.
"""

from __future__ import annotations

import dataclasses
import dis
import itertools
from typing import Any

import torch
from torch.utils.hooks import RemovableHandle

from ..base import call_stack, folders, hooks, trace_state
from ..base.dynamo_values import attribute_of, constant, inline, receiver_of


@dataclasses.dataclass
class Registered:
    """What one graph has registered."""

    output: Any = None
    tables: dict[tuple[Any, str], Any] = dataclasses.field(default_factory=dict)  # by module and name
    new: list[Any] = dataclasses.field(default_factory=list)  # tables of modules that the call makes
    handles: list[Any] = dataclasses.field(default_factory=list)


FEATURE = hooks.Feature(__name__, hooks.GAIN, "hooks of modules that a call registers", partial=True, state=Registered)

METHODS = {
    torch.nn.Module.register_forward_hook: (
        "_forward_hooks",
        "_forward_hooks_with_kwargs",
        "_forward_hooks_always_called",
    ),
    torch.nn.Module.register_forward_pre_hook: ("_forward_pre_hooks", "_forward_pre_hooks_with_kwargs"),
}
LOOKED_AT = frozenset(["id", *itertools.chain.from_iterable(METHODS.values())])
INTERNAL = (folders.TORCH, __file__)  # the files that may look at tables and handles
NUMBERS = itertools.count(-1, -1)


class CallHandle(RemovableHandle):
    """A handle of a hook, for the time of the call."""

    def __init__(self, table: Any, extra_dict: Any = None) -> None:
        self.table, self.id = table, next_number()
        self.extra = [extra_dict] if isinstance(extra_dict, dict) else extra_dict or []

    def remove(self) -> None:
        """Remove the hook from the tables of its module."""
        for table in [self.table, *self.extra]:
            if self.id in table:
                del table[self.id]


@constant
def next_number() -> int:
    """The number of the next handle."""
    return next(NUMBERS)


@FEATURE.hook("method.call")
def copy_tables(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Copy the tables of a module before the call registers a hook there."""
    from ..base.torch_names import ConstDictVariable, UserDefinedObjectVariable

    if self.fn not in METHODS or not trace.whole or not may_remove(tx):
        return hooks.DECLINED
    owner = receiver_of(self)
    if not isinstance(owner, UserDefinedObjectVariable) or owner.source is None:
        return hooks.DECLINED
    known = FEATURE.of_graph(trace, tx.output)
    for name in METHODS[self.fn]:
        if (owner, name) not in known.tables:
            before = list(getattr(owner.value, name))
            table = inline(tx, copy_of, [attribute_of(tx, owner, name)], {})
            if not isinstance(table.realize(), ConstDictVariable):
                return hooks.DECLINED
            tx.output.side_effects.store_attr(owner, name, table)
            known.tables[owner, name] = before, table
    return hooks.DECLINED


def may_remove(tx: Any) -> bool:
    """Whether the code around a registration may remove the hook: by `remove`, or at the end of a `with`."""
    codes = [frame.f_code for frame in call_stack.translators(tx)]
    return any("remove" in code.co_names or any(map(is_block, dis.get_instructions(code))) for code in codes)


def is_block(instruction: dis.Instruction) -> bool:
    """Whether an instruction begins a `with`."""
    return instruction.opname in ("BEFORE_WITH", "SETUP_WITH", "LOAD_SPECIAL")


@FEATURE.hook("class.call")
def make_handle(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Make a handle of a hook."""
    if self.value is not RemovableHandle or not trace.whole or not args:
        return hooks.DECLINED
    table = args[0].realize()
    if table.source is not None or table.mutation_type is None:
        return hooks.DECLINED
    known = FEATURE.of_graph(trace, tx.output)
    if not any(table is copied for _, copied in known.tables.values()):
        known.new.append(table)
    handle = inline(tx, new_handle, args, kwargs)
    known.handles.append(handle)
    return handle


@FEATURE.hook("object.getattr")
def refuse_look(read: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Refuse a graph whose program looks at a handle or a table: the numbers there are others."""
    known = FEATURE.of(trace)
    if (known.tables or known.new) and name in LOOKED_AT and is_load(tx, name):
        raise trace_state.SiteRefused("the program looks at the numbers of hooks")
    return hooks.DECLINED


@FEATURE.hook("effects.codegen")
def put_tables_back(write: Any, trace: trace_state.Trace, self: Any, cg: Any, *args: Any) -> Any:
    """Forget the copies that are as before; refuse the graph where a hook or a handle outlives the call."""
    known = FEATURE.of_graph(trace, self.output_graph_weakref())
    alive = list(self.id_to_variable.values())
    if any(any(made is other for other in alive) for made in (*known.handles, *known.new)):
        raise trace_state.SiteRefused("a hook that the call registers outlives the call, or its handle")
    for (owner, name), (before, table) in known.tables.items():
        if [key.vt.as_python_constant() for key in table.items] != before:
            raise trace_state.SiteRefused("a hook of a module outlives the call")
        self.store_attr_mutations[owner].pop(name, None)
    return hooks.DECLINED


@FEATURE.hook("dictionary.reconstruct")
def refuse_table(rebuild: Any, trace: trace_state.Trace, self: Any, codegen: Any) -> Any:
    """Refuse a graph where a module made by the call keeps a hook."""
    if any(self is table for table in FEATURE.of(trace).new):
        raise trace_state.SiteRefused("a hook of a module outlives the call")
    return hooks.DECLINED


def is_load(tx: Any, name: str) -> bool:
    """Whether the present instruction of the program reads an attribute; a call of a module reads its tables, too."""
    return tx.current_instruction.argval == name and not tx.f_code.co_filename.startswith(INTERNAL)


def copy_of(table: dict[int, Any]) -> dict[int, Any]:
    """A copy of a table of hooks."""
    return dict(table)


def new_handle(table: Any, extra_dict: Any = None) -> CallHandle:
    """A new handle."""
    return CallHandle(table, extra_dict)
