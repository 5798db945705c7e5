"""Undoing what a compiled call has changed of Python's objects.

Dynamo applies all such changes behind the graph, and the deferred work of the call runs behind them. Where a call has
both, the code that Dynamo makes notes the state of the objects in front of its changes.
"""

from __future__ import annotations

import collections
import random
from typing import Any, Callable, Optional

import torch

from ..base import hooks, torch_names, trace_state
from ..base.effect_queue import hand_over, is_queue
from .finalizers import Ending, ends_noticed, replaced


class Watched:
    """The outputs of a trace that are watched, and the changed objects while Dynamo emits code for their changes.

    Dynamo copies its record of side effects where it traces an operator with a body, so an output is the key.
    """

    def __init__(self) -> None:
        self.outputs: set[int] = set()
        self.notes_changes = False  # the code around the graph notes how to undo what it changes
        self.changed: Optional[list[Any]] = None


FEATURE = hooks.Feature(__name__, hooks.GUARD, "what the code around a graph changes", partial=True, state=Watched)

MISSING = object()
TABLES = ("_parameters", "_buffers", "_modules")


def nothing() -> bool:
    """What undoes a graph that has changed nothing."""
    return True


def lost() -> bool:
    """What stands for changes that cannot be undone."""
    return False


def remember(*parts: Any) -> None:
    """Note the state of objects, to be put back should the deferred work of the call raise an exception.

    Of every object the parts hold the object itself and the names of the attributes that change, or None where its
    contents do. Raises Ending where the program would notice that they end.
    """
    graph = trace_state.local.pending or nothing
    pairs = list(zip(parts[::2], parts[1::2]))
    if any(ends_noticed(replaced(*pair)) for pair in pairs):
        raise Ending
    undo = [saved(*pair) for pair in pairs]

    def restore() -> bool:
        if not graph():
            return False
        for part in reversed(undo):
            part()
        return True

    trace_state.local.pending = restore


def forget() -> None:
    """Note that the call changes what cannot be put back."""
    trace_state.local.pending = lost


def saved(target: Any, names: Any) -> Callable[[], None]:
    """Remember the contents of an object or some of its attributes; returns what puts them back."""
    if names is not None:
        parts = [saved_attribute(target, name) for name in names]
        return lambda: [part() for part in parts] and None
    if isinstance(target, random.Random):
        before = target.getstate()
        return lambda: target.setstate(before)
    if isinstance(target, dict):
        items = dict(target)
        kind = collections.OrderedDict if isinstance(target, collections.OrderedDict) else dict
        return lambda: refill(target, kind.clear, kind.update, items)
    if isinstance(target, set):
        members = set(target)
        return lambda: refill(target, set.clear, set.update, members)
    kept = list(target)
    if isinstance(target, list):
        return lambda: list.__setitem__(target, slice(None), kept)
    return lambda: refill(target, type(target).clear, type(target).extend, kept)


def refill(target: Any, clear: Any, fill: Any, content: Any) -> None:
    """Give a container the contents that it had."""
    clear(target)
    fill(target, content)


def saved_attribute(target: Any, name: str) -> Callable[[], None]:
    """Remember one attribute, or global of a module's dictionary; returns what puts it back."""
    own = target if type(target) is dict else getattr(target, "__dict__", None)
    if isinstance(target, type) or not isinstance(own, dict) or is_descriptor(target, name):
        before = current(target, name)
        if before is MISSING:
            return lambda: delattr(target, name) if current(target, name) is not MISSING else None
        return lambda: setattr(target, name, before)
    tables = [own]
    if isinstance(target, torch.nn.Module):
        tables += [own[table] for table in TABLES if table in own]
    values = [table.get(name, MISSING) for table in tables]

    def restore() -> None:
        for table, value in zip(tables, values):
            if value is MISSING:
                table.pop(name, None)
            else:
                table[name] = value

    return restore


def current(target: Any, name: str) -> Any:
    """What an object holds under a name, or MISSING; a cell may be empty."""
    if isinstance(target, type):
        return vars(target).get(name, MISSING)
    try:
        return getattr(target, name)
    except (AttributeError, ValueError):
        return MISSING


def is_descriptor(target: Any, name: str) -> bool:
    """Whether the class of an object keeps an attribute elsewhere than in the dictionary of the object."""
    return any(name in vars(kind) and hasattr(type(vars(kind)[name]), "__set__") for kind in type(target).__mro__)


# ---- The code that Dynamo makes ----


def watch(trace: trace_state.Trace, output: Any) -> None:
    """Have the code for the side effects of an output begin with notes of the changes, and with deferred work."""
    FEATURE.of(trace).outputs.add(id(output))


@FEATURE.hook("effects.codegen")
def codegen(emit: Any, trace: trace_state.Trace, self: Any, cg: Any, *args: Any, **kwargs: Any) -> None:
    """Emit the code that notes what changes and hands over the deferred work, then that of the side effects."""
    watched = FEATURE.of(trace)
    if id(cg.tx.output) not in watched.outputs:
        emit(self, cg, *args, **kwargs)
        return
    modified = list(self._get_modified_vars())
    changed = [var for var in modified if not is_queue(var)]
    note_changed(trace, self, changed, cg)
    for var in modified:
        if is_queue(var):
            hand_over(trace, var, cg)
    watched.changed = changed
    try:
        emit(self, cg, *args, **kwargs)
    finally:
        watched.changed = None


@FEATURE.hook("effects.modified")
def modified_without_queue(modified: Any, trace: trace_state.Trace, self: Any) -> Any:
    """The objects that Dynamo's own code changes: all but the effect queue."""
    changed = FEATURE.of(trace).changed
    return modified(self) if changed is None else changed


def note_changed(trace: trace_state.Trace, effects: Any, changed: list[Any], cg: Any) -> None:
    """Emit a call of `remember` with all that the side effects change, or of `forget`."""
    from ..base.torch_names import create_call_function, create_instruction

    loads = [load for var in changed for load in loads_of(effects, var)]
    if not loads and not effects.tensor_hooks:
        return
    FEATURE.of(trace).notes_changes = True
    known = all(load is not None for load in loads) and not effects.tensor_hooks
    cg.add_push_null(lambda: cg.load_import_from(__name__, "remember" if known else "forget"))
    if known:
        for load, names in loads:
            load(cg)
            cg.append_output(cg.create_load_const(names))
    cg.extend_output(create_call_function(2 * len(loads) if known else 0, False))
    cg.append_output(create_instruction("POP_TOP"))


def may_change_contents(effects: Any, var: Any) -> bool:
    """Whether the items of an object change that has attributes, too: one of a class derived from `list` or `dict`.

    Until torch 2.14 a variable of its own stands for the items; since 2.15 the object's variable has them.
    """
    contents = getattr(var, "_base_vt", None)
    if contents is not None:
        return bool(effects.is_modified(contents))
    return isinstance(var, (torch_names.BaseListVariable, torch_names.ConstDictVariable))


def loads_of(effects: Any, var: Any) -> list[Any]:
    """How to load what a variable of Dynamo's changes, with the names of attributes; None for what cannot be undone."""
    from ..base.torch_names import AttributeMutationNew, CellVariable, NewGlobalVariable

    kind = type(var).__name__
    if isinstance(var.mutation_type, AttributeMutationNew):
        return []
    names = tuple(effects.store_attr_mutations.get(var, ()))
    if isinstance(var, NewGlobalVariable):
        return [(lambda cg: cg.append_output(cg.create_load_const_unchecked(cg.tx.f_globals)), names)]
    if isinstance(var, CellVariable):
        if getattr(var, "local_name", None) is None:
            return [(lambda cg: cg(var.source), ("cell_contents",))]
        return [(lambda cg: cg.append_output(cg.create_load_closure(var.local_name)), ("cell_contents",))]
    if var.source is None:
        return []
    if "Iterator" in kind or kind == "TorchFunctionModeStackVariable":
        return [None]
    found: list[Any] = [(lambda cg: cg(var.source), names)] if names else []
    if not effects.is_attribute_mutation(var) or may_change_contents(effects, var):
        found.append((lambda cg: cg(var.source), None))
    return found
