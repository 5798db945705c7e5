"""The order of sets: Python's order follows hashes and the history of the set, Dynamo's order the insertions.

    found = {int(v) for v in x}        # 33, 1, 2
    return list(found)                 # [33, 2, 1]; Dynamo gives [33, 1, 2]

Here each set of constants has a *copy*, a real set with the same history: the insertions in their order, then each
operation of the program once more. A program that asks for the order gets the order of the copy. A set without a copy
keeps the order where every history gives the same order; another set is left to Python. A set from before the call,
unchanged, has its order anyway, and `sorted`, `len` and the like ask for no order.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
from typing import Any, Callable, Optional

from ..base import folders, hooks, trace_state
from ..base.dynamo_values import is_unread
from ..capture.trace_time import leave_frame_to_python


@dataclasses.dataclass
class Asked:
    """The functions around the present statement that ask for no order, and operations that the copies follow."""

    unordered: int = 0
    following: int = 0
    copies: dict[int, tuple[Any, Any]] = dataclasses.field(default_factory=dict)  # by variable, with the variable


FEATURE = hooks.Feature(__name__, hooks.GUARD, "the order of sets", partial=True, state=Asked)
REASON = "the order of a set, which Python alone knows"
UNKNOWN = object()  # in the place of a copy
UNORDERED = (set, frozenset, len, bool, any, all, isinstance)
SORTED = (sorted, max, min)  # of items that are equal only to themselves
OPERATORS = (
    operator.or_,
    operator.and_,
    operator.sub,
    operator.xor,
    operator.ior,
    operator.iand,
    operator.isub,
    operator.ixor,
)
CHANGERS = frozenset(
    "clear difference_update discard intersection_update remove symmetric_difference_update update".split()
)
MAKERS = frozenset(("copy", "union", "intersection", "difference", "symmetric_difference"))
KINDS = {"SetVariable": set, "FrozensetVariable": frozenset}
TABLES = [2**bits - 1 for bits in range(3, 17)]  # sizes of the table of a set, less one


# ---- Where the program asks for the order ----


@FEATURE.hook("set.iterate", needed=False)
def iterate(go: Any, trace: trace_state.Trace, self: Any, tx: Any) -> Any:
    """Put the items of a set into the order of Python."""
    put_in_order(trace, tx, self)
    return hooks.DECLINED


@FEATURE.hook("list.method", needed=False)
def extend_list(call: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Put the items of a set into the order of Python; Dynamo reads them without an iterator."""
    for arg in args if name in ("extend", "__init__") else ():
        if not is_unread(arg):
            put_in_order(trace, tx, arg.realize())
    return hooks.DECLINED


@FEATURE.hook("builtin.call", of=(*OPERATORS, *UNORDERED, *SORTED))
@FEATURE.hook("polyfill.call", needed=False)
def call_function(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Follow the operators of sets, and functions that take a set."""
    is_operator = self.fn in OPERATORS
    if not is_operator and self.fn not in UNORDERED and self.fn not in SORTED:
        return hooks.DECLINED
    # A set that nobody has read yet is as before the call; to read other values makes guards.
    makes = self.fn in (set, frozenset)
    if not any((is_operator or makes or not is_unread(arg)) and acts_as_set(arg.realize()) for arg in args):
        return hooks.DECLINED
    asked = FEATURE.of(trace)
    if is_operator and len(args) == 2:
        copy = made(tx, self.fn, args)
        return with_copy(call(self, tx, args, kwargs), copy)
    if self.fn in UNORDERED or (self.fn in SORTED and not kwargs and len(args) == 1):
        copy = made(tx, self.fn, args) if makes else None
        asked.unordered += 1
        try:
            result = call(self, tx, args, kwargs)
        finally:
            asked.unordered -= 1
        if not makes or result is args[0] or (copy is UNKNOWN and all(map(comes_one_by_one, args))):
            return result  # Dynamo has the items in the order of their insertions
        return with_copy(result, copy)
    return hooks.DECLINED


@FEATURE.hook("set.method", needed=False)
def call_method(call: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Follow the methods of sets."""
    asked = FEATURE.of(trace)
    if kind_of_set(self) is None or asked.following or kwargs:
        return hooks.DECLINED
    if name == "pop" and not args and self.items:
        return pop(trace, tx, self)
    if name == "add" or (name == "update" and all(map(comes_one_by_one, args))):
        return add(call, tx, self, name, args)
    if name not in CHANGERS and name not in MAKERS:
        return hooks.DECLINED
    copy = changed(tx, self, name, args) if name in CHANGERS else made(tx, getattr(set, name), [self, *args])
    asked.following += 1
    try:
        result = call(self, tx, name, args, kwargs)
    finally:
        asked.following -= 1
    if name in MAKERS:
        return with_copy(result, copy)
    note(self, copy)
    return result


def add(call: Any, tx: Any, variable: Any, name: str, args: Any) -> Any:
    """Add items, to the copy as well; the insertions into a set without a mark are in the order of its items."""
    before = set(variable.items)
    is_old = is_untouched(tx, variable)
    result = call(variable, tx, name, args, {})
    copy = noted_copy(variable)
    new = [item.vt for item in variable.items if item not in before]
    if is_old and new:
        note(variable, UNKNOWN)
    elif new and copy is not None and copy is not UNKNOWN:
        known = all(item.is_python_constant() for item in new)
        copy.update([item.as_python_constant() for item in new]) if known else note(variable, UNKNOWN)
    return result


def pop(trace: trace_state.Trace, tx: Any, variable: Any) -> Any:
    """The item that `pop` gives in Python."""
    copy = copy_of(tx, variable)
    if copy is not None:
        found = place_of(variable, copy.pop())
    elif len(variable.items) == 1:
        found = next(iter(variable.items))
    else:
        leave_frame_to_python(trace, REASON)
    asked = FEATURE.of(trace)
    asked.following += 1
    try:
        variable.call_method(tx, "remove", [found.vt], {})
    finally:
        asked.following -= 1
    note(variable, copy)
    return found.vt


def put_in_order(trace: trace_state.Trace, tx: Any, variable: Any) -> None:
    """Put the items of a set into the order of Python; leave the frame to Python where the order is not known."""
    asked = FEATURE.of(trace)
    if kind_of_set(variable) is None or len(variable.items) < 2 or asked.unordered or asked.following:
        return
    if tx.f_code.co_filename.startswith(folders.TORCH) or is_untouched(tx, variable):
        return  # torch's own code leaves nothing to the order of a set
    copy, values = copy_of(tx, variable), constants_of(variable)
    order = list(copy) if copy is not None else None if values is None else settled_order(values)
    if order is None:
        leave_frame_to_python(trace, REASON)
    places = [place_of(variable, value) for value in order]
    variable.items = {place: variable.items[place] for place in places}
    if copy is not None:
        note(variable, copy)


# ---- Copies ----


def kind_of_set(variable: Any) -> Optional[type]:
    """The class of a set or frozenset of Python; None for other variables."""
    return KINDS.get(type(variable).__name__)


def acts_as_set(variable: Any) -> bool:
    """Whether a variable is a set, a dictionary, whose keys a set takes in its own way, or a view of one."""
    from ..base.torch_names import ConstDictVariable, DictViewVariable

    return kind_of_set(variable) is not None or isinstance(variable, (ConstDictVariable, DictViewVariable))


def is_untouched(tx: Any, variable: Any) -> bool:
    """Whether a set is from before the call and unchanged."""
    return variable.source is not None and not tx.output.side_effects.is_modified(variable)


def constants_of(variable: Any) -> Optional[list[Any]]:
    """The items of a set of constants, in the order of Dynamo."""
    items = [item.vt for item in variable.items]
    if not all(item.is_python_constant() for item in items):
        return None
    return [item.as_python_constant() for item in items]


def copy_of(tx: Any, variable: Any) -> Optional[Any]:
    """A real set with the history of a set that the call has made; None without one."""
    values, kind = constants_of(variable), kind_of_set(variable)
    noted = noted_copy(variable)
    if values is None or noted is UNKNOWN:
        return None
    if noted is not None:
        return noted if noted == set(values) else None
    if variable.source is not None or (kind is set and variable.mutation_type is None):
        return None
    if kind is set:
        return set(values)
    copies = (
        frozenset(values),
        *tx.f_code.co_consts,
    )  # of items in their order, or a constant, which has its own order
    return next((copy for copy in copies if type(copy) is frozenset and list(copy) == values), None)


def operand(tx: Any, variable: Any) -> Any:
    """The real object for an operand; raises where there is none."""
    variable = variable.realize()
    if kind_of_set(variable) is None:
        keys = keys_of(variable)
        return variable.as_python_constant() if keys is None else keys
    copy = copy_of(tx, variable)
    if copy is None:
        raise LookupError
    return copy


def keys_of(variable: Any) -> Any:
    """A dictionary with the keys of a dictionary, or a view of them; None for other variables.

    A set takes the keys of a dictionary in its own way, as it does with those of a set.
    """
    from ..base.torch_names import ConstDictVariable, DictViewVariable

    table = variable.dv_dict if isinstance(variable, DictViewVariable) and variable.kv == "keys" else variable
    if type(table) is not ConstDictVariable or getattr(table, "user_cls", dict) is not dict:
        return None
    keys = dict.fromkeys(key.vt.as_python_constant() for key in table.items)
    return keys if table is variable else keys.keys()


def comes_one_by_one(items: Any) -> bool:
    """Whether a set takes the items of a variable one after the other, and not as another set."""
    from ..base import torch_names

    kinds = (torch_names.BaseListVariable, torch_names.IteratorVariable, torch_names.LocalGeneratorObjectVariable)
    items = items.realize()
    is_view = isinstance(items, torch_names.DictViewVariable) and items.kv != "keys"
    return is_view or isinstance(items, kinds)


def made(tx: Any, function: Callable[..., Any], args: Any) -> Any:
    """The copy for a set that an operation makes."""
    try:
        return function(*(operand(tx, arg) for arg in args))
    except Exception:
        return UNKNOWN


def changed(tx: Any, variable: Any, name: str, args: Any) -> Any:
    """The copy of a set behind a change."""
    try:
        copy = operand(tx, variable)
        getattr(copy, name)(*(operand(tx, arg) for arg in args))
    except Exception:
        return UNKNOWN
    return copy


def note(variable: Any, copy: Any) -> None:
    """Note the copy of a set; the variable of a set that the program changes has one mark for all its clones."""
    copy = UNKNOWN if copy is None else copy
    if variable.mutation_type is not None:
        variable.mutation_type.real_set = copy
    elif trace_state.local.trace is not None:
        FEATURE.of(trace_state.local.trace).copies[id(variable)] = variable, copy


def noted_copy(variable: Any) -> Any:
    """The copy of a set as it was noted; None without a note."""
    if variable.mutation_type is not None:
        return getattr(variable.mutation_type, "real_set", None)
    trace = trace_state.local.trace
    return None if trace is None else FEATURE.of(trace).copies.get(id(variable), (None, None))[1]


def with_copy(variable: Any, copy: Any) -> Any:
    """A variable, with its copy noted."""
    result = variable.realize()
    if kind_of_set(result) is not None:
        note(result, copy)
    return variable


# ---- Orders ----


def settled_order(values: list[Any]) -> Optional[list[Any]]:
    """The order that a set of constants has whatever its history; None if there are several.

    The place of an item follows from the hash and the size of the set's table, unless two items meet.
    """
    orders = []
    for mask in TABLES:
        if len(values) * 5 < mask * 3:
            places = {hash(value) & mask: value for value in values}
            if len(places) < len(values):
                return None
            orders.append([places[place] for place in sorted(places)])
    return orders[0] if orders and all(map(functools.partial(same, orders[0]), orders)) else None


def same(order: list[Any], other: list[Any]) -> bool:
    """Whether two orders are of the same objects."""
    return all(one is another for one, another in zip(order, other))


def place_of(variable: Any, value: Any) -> Any:
    """The item of Dynamo's set for a constant."""
    return next(place for place in variable.items if place.vt.as_python_constant() == value)
