"""Membership: `2 in numbers`, `numbers.index(2)` and `numbers.count(2)` where data decide the numbers.

Dynamo looks for a constant among the constants of a list alone: a number that is known only when the graph runs, and a
tensor, are passed over as if they were different. Python compares with every one of them, and finds NaN by the object
that it is. `n in range(9)` is a number to Dynamo, a truth value to Python.
"""

from __future__ import annotations

from typing import Any

from ..base import hooks, trace_state
from ..capture.implicit_bool import answered
from .tensor_predicates_api import is_real

FEATURE = hooks.Feature(__name__, hooks.GAIN, "membership among numbers that data decide")


@FEATURE.hook("items.search")
def search_items(
    search: Any, trace: trace_state.Trace, items: Any, wanted: Any, tx: Any, *args: Any, **kwargs: Any
) -> Any:
    """Compare with every item, as Python does."""
    from ..base.torch_names import ConstantVariable

    known = list(items)
    constant = wanted.is_python_constant()
    if not (is_real(wanted) or (constant and not all(item.is_python_constant() for item in known))):
        return search(known, wanted, tx, *args, **kwargs)
    return ConstantVariable.create(any(equal(tx, item, wanted) for item in known))


@FEATURE.hook("list.method")
def search_list(call: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """The place of a number in a list, and how often it is there; the item itself is found though it be NaN."""
    from ..base.torch_names import ConstantVariable

    wanted = args[0].realize() if name in ("index", "count") and len(args) == 1 and not kwargs else None
    items = [item.realize() for item in self.items] if wanted is not None else []
    if wanted is None or not any(map(is_real, (wanted, *items))):
        return call(self, tx, name, args, kwargs)
    places = (place for place, item in enumerate(items) if item is wanted or equal(tx, item, wanted))
    if name == "count":
        return ConstantVariable.create(sum(1 for _ in places))
    place = next(places, None)
    return call(self, tx, name, args, kwargs) if place is None else ConstantVariable.create(place)


@FEATURE.hook("range.contains", needed=False)
def search_range(within: Any, trace: trace_state.Trace, self: Any, tx: Any, item: Any) -> Any:
    """A truth value, as Python gives one."""
    from ..base.torch_names import ConstantVariable

    return ConstantVariable.create(bool(within(self, tx, item).as_python_constant()))


@FEATURE.hook("dict_items.contains", needed=False)
def search_pairs(paired: Any, trace: trace_state.Trace, self: Any, tx: Any, item: Any) -> Any:
    """Compare the value of a pair, as Python does."""
    from ..base.torch_names import ConstantVariable, HashableTracker, TupleVariable, is_hashable

    if not isinstance(item, TupleVariable) or len(item.items) != 2:
        return paired(self, tx, item)
    key, value = item.items
    found = self.dv_dict.items.get(HashableTracker(key)) if is_hashable(item) else None
    if found is None or (found.is_python_constant() and value.is_python_constant()):
        return paired(self, tx, item)
    return ConstantVariable.create(equal(tx, found, value))


def equal(tx: Any, item: Any, wanted: Any) -> bool:
    """Whether Python takes an item of a container for the wanted one; the graph follows the answer."""
    from ..base.torch_names import generic_richcompare_bool

    return answered(tx, generic_richcompare_bool(tx, item, wanted, "__eq__"))
