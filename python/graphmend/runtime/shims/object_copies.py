"""Copies of objects whose state is more than a `__dict__`.

    best = copy.deepcopy(model.state_dict())            # an empty OrderedDict in Dynamo

`copy.copy` and `copy.deepcopy` ask an object for its parts by `__reduce_ex__`. Dynamo's own version of
`object.__reduce_ex__` tells the class and the `__dict__` alone: the items of a dictionary, of a list and of a set, the
values of `__slots__`, and what a class says in `__reduce__`, `__getstate__` and `__getnewargs__` are lost without an
error. Here the parts are those of CPython (`object.__reduce_ex__`, protocol 4). An object with other functions in C is
left to Python.

`copy.deepcopy` notes the identity of what it has copied, in a dictionary that it drops. Dynamo guards each identity, so
a copy of a tensor that the call is given needs a graph for each call. The identity of a tensor in such a dictionary
needs no guard: Dynamo guards which arguments are the same tensor.
"""

from __future__ import annotations

import collections
import copy
import copyreg
import types
from typing import Any, Callable, Optional

from ..base import hooks, trace_state
from ..base.dynamo_values import inline, real, receiver_of
from ..capture.trace_time import leave_to_python

FEATURE = hooks.Feature(__name__, hooks.GAIN, "copies of objects whose state is more than a `__dict__`", partial=True)

POLYFILLS = "torch._dynamo.polyfills.copy"  # not in torch 2.9
PLAIN_STATE = getattr(object, "__getstate__", None)  # from Python 3.11 on
make_empty, slot_names = vars(copyreg)["__newobj__"], vars(copyreg)["_slotnames"]
REASON = "an object of a class in C is copied"
Parts = tuple[Any, ...]  # a function that makes the copy, its arguments, the state, the items, the pairs


@FEATURE.hook("method.call")
def call_polyfill(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Tell the parts of an object in the place of Dynamo's version."""
    from ..base.torch_names import VariableTracker

    if getattr(self.fn, "__module__", None) != POLYFILLS or self.fn.__name__ != "reduce_ex_user_defined_object":
        return hooks.DECLINED
    item = receiver_of(self)
    kind = item.python_type()
    if isinstance(kind.__reduce__, types.FunctionType):
        return inline(tx, own_parts, [item], {})
    if kind.__reduce__ is not object.__reduce__:
        parts = OF_C.get(kind.__reduce__)
        if parts is None:
            leave_to_python(trace, REASON)
        return inline(tx, parts, [item], {})
    readers = arguments_of(kind), state_of(kind), items_of(kind)
    if readers[0] is None or readers[1] is None:
        leave_to_python(trace, REASON)
    slots = tuple(slot_names(kind))
    return inline(tx, parts_of, [item, *(VariableTracker.build(tx, value) for value in (*readers, slots))], {})


@FEATURE.hook("translator.call")
def call_method(call: Any, trace: trace_state.Trace, self: Any, function: Any, args: Any, kwargs: Any) -> Any:
    """Tell the parts of an `OrderedDict`, which from torch 2.15 on is no object of the program for Dynamo."""
    if getattr(function, "method_name", "") != "__reduce_ex__":
        return hooks.DECLINED
    from ..base.torch_names import ConstDictVariable, UserDefinedObjectVariable

    item = function.obj
    if not isinstance(item, ConstDictVariable) or isinstance(item, UserDefinedObjectVariable):
        return hooks.DECLINED
    if item.python_type() is not collections.OrderedDict or getattr(real(item), "__dict__", None):
        return hooks.DECLINED
    return self.push(inline(self, parts_of_items, [item], {}))


@FEATURE.hook("builtin.call", of=(id,))
def call_builtin(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Tell the identity of a tensor for the dictionary of a deep copy."""
    if tx.f_code.co_filename != copy.__file__ or len(args) != 1:
        return hooks.DECLINED
    from ..base.torch_names import ConstantVariable

    item, memo = args[0].realize(), tx.symbolic_locals.get("memo")
    value = real(item) if item.is_tensor() and item.source is not None else None
    if value is None or memo is None or memo.realize().source is not None:
        return hooks.DECLINED
    return ConstantVariable.create(id(value))


def parts_of(item: Any, arguments: Any, state: Any, items: Any, slots: tuple[str, ...]) -> Parts:
    """The parts of an object, as `object.__reduce_ex__` tells them."""
    return (make_empty, (type(item), *arguments(item)), state(item, slots), *items(item))


def own_parts(item: Any) -> Parts:
    """The parts that a class tells itself."""
    parts: Parts = item.__reduce__()
    return parts


def parts_of_ordered(item: Any) -> Parts:
    """The parts of a `collections.OrderedDict`."""
    return type(item), (), item.__dict__, None, iter(item.items())


def parts_of_items(item: Any) -> Parts:
    """The parts of a `collections.OrderedDict` without attributes."""
    return collections.OrderedDict, (), None, None, iter(item.items())


def parts_of_default(item: Any) -> Parts:
    """The parts of a `collections.defaultdict`."""
    return type(item), (item.default_factory,), None, None, iter(item.items())


def parts_of_set(item: Any) -> Parts:
    """The parts of a set, or of an object of a class derived from `set` or `frozenset`."""
    return type(item), (list(item),), None


OF_C: dict[Any, Callable[[Any], Parts]] = {
    collections.OrderedDict.__reduce__: parts_of_ordered,
    collections.defaultdict.__reduce__: parts_of_default,
    set.__reduce__: parts_of_set,
    frozenset.__reduce__: parts_of_set,
}


def arguments_of(kind: type) -> Optional[Callable[[Any], tuple[Any, ...]]]:
    """The function that reads the arguments of `__new__`; None where a class in C tells the arguments."""
    if hasattr(kind, "__getnewargs_ex__"):
        return None
    own = getattr(kind, "__getnewargs__", None)
    if own is None:
        return no_arguments
    if own is vars(tuple)["__getnewargs__"]:
        return tuple_argument
    return own_arguments if isinstance(own, types.FunctionType) else None


def no_arguments(item: Any) -> tuple[Any, ...]:
    """The arguments of `__new__` of most objects."""
    return ()


def tuple_argument(item: Any) -> tuple[Any, ...]:
    """The argument of `__new__` of a class derived from `tuple`."""
    return (tuple(item),)


def own_arguments(item: Any) -> tuple[Any, ...]:
    """The arguments of `__new__` that a class tells itself, such as that of a named tuple."""
    arguments: tuple[Any, ...] = item.__getnewargs__()
    return arguments


def state_of(kind: type) -> Optional[Callable[[Any, tuple[str, ...]], Any]]:
    """The function that reads the state; None where a class in C tells the state."""
    own = getattr(kind, "__getstate__", PLAIN_STATE)
    if own is not PLAIN_STATE:
        return own_state if isinstance(own, types.FunctionType) else None
    has_table = any("__dict__" in vars(base) for base in kind.__mro__)
    if slot_names(kind):
        return table_and_slots if has_table else slots_only
    return table_only if has_table else no_state


def own_state(item: Any, slots: tuple[str, ...]) -> Any:
    """The state that a class tells itself."""
    return item.__getstate__()


def no_state(item: Any, slots: tuple[str, ...]) -> Any:
    """The state of an object without attributes."""
    return None


def table_only(item: Any, slots: tuple[str, ...]) -> Any:
    """The attributes of an object."""
    return item.__dict__


def slots_only(item: Any, slots: tuple[str, ...]) -> Any:
    """The state of an object without a `__dict__`."""
    return None, slot_values(item, slots)


def table_and_slots(item: Any, slots: tuple[str, ...]) -> Any:
    """The attributes of an object and the values of `__slots__`."""
    return item.__dict__, slot_values(item, slots)


def slot_values(item: Any, slots: tuple[str, ...]) -> dict[str, Any]:
    """The values of `__slots__` that are set, by name."""
    return {name: getattr(item, name) for name in slots if hasattr(item, name)}


def items_of(kind: type) -> Callable[[Any], tuple[Optional[Any], Optional[Any]]]:
    """The function that gives the items of a list and the pairs of a dictionary."""
    if issubclass(kind, list):
        return list_items
    return dict_items if issubclass(kind, dict) else no_items


def no_items(item: Any) -> tuple[Optional[Any], Optional[Any]]:
    """The items of an object that is no container."""
    return None, None


def list_items(item: Any) -> tuple[Optional[Any], Optional[Any]]:
    """The items of a list."""
    return iter(item), None


def dict_items(item: Any) -> tuple[Optional[Any], Optional[Any]]:
    """The pairs of a dictionary."""
    return None, iter(item.items())
