"""The undo log: the earlier state of Python objects that a compiled call changed.

    self.step = self.step + 1       # Dynamo writes the attribute behind the graph
    print("step", self.step)        # a deferred effect raises: the attribute has to go back

Dynamo applies all changes of Python objects behind the graph, and the flush runs behind these changes. Where a call has
both, the code around the graph first calls `remember` with the objects about to change.
"""

from __future__ import annotations

import collections
import random
from typing import Any, Callable

import torch

from ..base import hooks, torch_names, trace_state
from ..base.dynamo_values import contents_of
from ..base.effect_queue import hand_over, is_queue
from ..capture.growing_lists import is_open
from .finalizers import Ending, ends_noticed, values_held


class Watched:
    """The watched outputs of a trace; `emits` while Dynamo emits code for the changes of objects.

    Outputs are known by identity, because Dynamo copies its record of side effects at operators with a body.
    """

    def __init__(self) -> None:
        self.outputs: set[int] = set()
        self.notes_changes = False  # the code around the graph notes how to undo what it changes
        self.emits = False


FEATURE = hooks.Feature(__name__, hooks.GUARD, "what the code around a graph changes", partial=True, state=Watched)

MISSING = object()
GROWTH = "growth"  # in place of names: the call only appends to the list
TABLES = ("_parameters", "_buffers", "_modules")


def nothing_to_undo() -> bool:
    """The undo function of a graph without changes."""
    return True


def cannot_undo() -> bool:
    """The undo function of changes that cannot be undone; always False."""
    return False


def remember(*parts: Any) -> None:
    """Save the state of objects, to be restored if a deferred effect of the call raises.

    `parts` alternates objects and names of attributes about to change; None in place of the names stands for the items
    of a container, GROWTH for new items of a list. Raises `Ending` where the program would notice the end of a
    replaced value.
    """
    graph = trace_state.local.pending or nothing_to_undo
    pairs = list(zip(parts[::2], parts[1::2]))
    if any(names != GROWTH and ends_noticed(values_held(target, names)) for target, names in pairs):
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
    """Note that the call changes state that cannot be restored."""
    trace_state.local.pending = cannot_undo


def saved(target: Any, names: Any) -> Callable[[], None]:
    """Save the items of an object or some of its attributes; returns the function that restores them."""
    if names == GROWTH:
        length = len(target)
        return lambda: list.__delitem__(target, slice(length, None))
    if names is not None:
        parts = [saved_attribute(target, name) for name in names]

        def restore() -> None:
            for part in parts:
                part()

        return restore
    if isinstance(target, random.Random):
        state = target.getstate()
        return lambda: target.setstate(state)
    if isinstance(target, dict):
        items = dict(target)
        kind = collections.OrderedDict if isinstance(target, collections.OrderedDict) else dict
        return lambda: refill(target, kind.clear, kind.update, items)
    if isinstance(target, set):
        members = set(target)
        return lambda: refill(target, set.clear, set.update, members)
    items_before = list(target)
    if isinstance(target, list):
        return lambda: list.__setitem__(target, slice(None), items_before)
    return lambda: refill(target, type(target).clear, type(target).extend, items_before)


def refill(target: Any, clear: Any, fill: Any, content: Any) -> None:
    """Replace the items of a container."""
    clear(target)
    fill(target, content)


def saved_attribute(target: Any, name: str) -> Callable[[], None]:
    """Save one attribute, or one global of a module's dictionary; returns the function that restores the value."""
    attributes = target if type(target) is dict else getattr(target, "__dict__", None)
    if isinstance(target, type) or not isinstance(attributes, dict) or is_descriptor(target, name):
        value_before = current(target, name)
        if value_before is MISSING:
            return lambda: delattr(target, name) if current(target, name) is not MISSING else None
        return lambda: setattr(target, name, value_before)
    tables = [attributes]
    if isinstance(target, torch.nn.Module):
        tables += [attributes[table] for table in TABLES if table in attributes]
    values = [table.get(name, MISSING) for table in tables]

    def restore() -> None:
        for table, value in zip(tables, values):
            if value is MISSING:
                table.pop(name, None)
            else:
                table[name] = value

    return restore


def current(target: Any, name: str) -> Any:
    """The value of an attribute, or MISSING; the attribute of an empty cell is missing."""
    if isinstance(target, type):
        return vars(target).get(name, MISSING)
    try:
        return getattr(target, name)
    except (AttributeError, ValueError):
        return MISSING


def is_descriptor(target: Any, name: str) -> bool:
    """Whether the class stores an attribute outside of the object's `__dict__`."""
    return any(name in vars(kind) and hasattr(type(vars(kind)[name]), "__set__") for kind in type(target).__mro__)


# ---- The code that Dynamo emits around a graph ----


def watch(trace: trace_state.Trace, output: Any) -> None:
    """Make the code for the side effects of an output begin with the undo log and the deferred effects."""
    FEATURE.of(trace).outputs.add(id(output))


@FEATURE.hook("effects.codegen")
def codegen(emit: Any, trace: trace_state.Trace, self: Any, cg: Any, *args: Any, **kwargs: Any) -> None:
    """Emit code that saves state and hands over the deferred effects, then Dynamo's code for the side effects."""
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
    watched.emits = True
    try:
        emit(self, cg, *args, **kwargs)
    finally:
        watched.emits = False


@FEATURE.hook("effects.modified")
def modified_without_queue(modified: Any, trace: trace_state.Trace, self: Any) -> Any:
    """The objects changed by Dynamo's own code: all but the effect queue."""
    if not FEATURE.of(trace).emits:
        return hooks.DECLINED
    return [variable for variable in modified(self) if not is_queue(variable)]


def note_changed(trace: trace_state.Trace, effects: Any, changed: list[Any], cg: Any) -> None:
    """Emit a call of `remember` with all objects that the side effects change, or a call of `forget`."""
    from ..base.torch_names import create_call_function, create_instruction

    loads = [load for var in changed for load in loads_of(effects, var)]
    if not loads and not effects.tensor_hooks:
        return
    FEATURE.of(trace).notes_changes = True
    can_undo = all(load is not None for load in loads) and not effects.tensor_hooks
    cg.add_push_null(lambda: cg.load_import_from(__name__, "remember" if can_undo else "forget"))
    if can_undo:
        for load, names in loads:
            load(cg)
            cg.append_output(cg.create_load_const(names))
    cg.extend_output(create_call_function(2 * len(loads) if can_undo else 0, False))
    cg.append_output(create_instruction("POP_TOP"))


def may_change_contents(effects: Any, var: Any) -> bool:
    """Whether items of an object may change beside its attributes: the class derives from `list` or `dict`."""
    contents = contents_of(var)
    if contents is not var:
        return bool(effects.is_modified(contents))
    return isinstance(var, (torch_names.BaseListVariable, torch_names.ConstDictVariable))


def loads_of(effects: Any, var: Any) -> list[Any]:
    """Functions that emit code to load the object changed through a variable, with the names of attributes.

    None in the list stands for a change that cannot be undone.
    """
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
    if is_open(var) and not var.removed:
        return [(lambda cg: cg(var.source), GROWTH)]
    loads: list[Any] = [(lambda cg: cg(var.source), names)] if names else []
    if not effects.is_attribute_mutation(var) or may_change_contents(effects, var):
        loads.append((lambda cg: cg(var.source), None))
    return loads
