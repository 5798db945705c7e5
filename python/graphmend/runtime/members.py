"""Membership: `2 in numbers` where data decide the numbers.

Dynamo looks for a constant among the constants of a list alone: a number that is known only when the graph runs, and a
tensor, are passed over as if they were different. Python compares with every one of them, and finds NaN by the object
that it is. `n in range(9)` is a number to Dynamo, a truth value to Python.
"""

from __future__ import annotations

from typing import Any, Iterator

from . import state
from .asked import answered
from .reworded import is_real


@state.in_whole_calls
def members_compared(trace: state.Trace) -> Iterator[None]:
    """Have a trace of a whole call inside the block compare with every item of a container, as Python does."""
    from torch._dynamo import utils
    from torch._dynamo.variables import dicts, lists

    search, ranges, pairs = utils.iter_contains, lists.RangeVariable, dicts.DictItemsVariable
    within, paired = ranges.__dict__["sq_contains"], pairs.__dict__["sq_contains"]
    assert lists.iter_contains is search

    def searching(items: Any, wanted: Any, tx: Any, *args: Any, **kwargs: Any) -> Any:
        known = list(items)
        constant = wanted.is_python_constant()
        if not (is_real(wanted) or (constant and not all(item.is_python_constant() for item in known))):
            return search(known, wanted, tx, *args, **kwargs)
        return lists.ConstantVariable.create(any(equal(tx, item, wanted) for item in known))

    def counting(self: Any, tx: Any, item: Any) -> Any:
        return lists.ConstantVariable.create(bool(within(self, tx, item).as_python_constant()))

    def pairing(self: Any, tx: Any, item: Any) -> Any:
        if not isinstance(item, dicts.variables.TupleVariable) or len(item.items) != 2:
            return paired(self, tx, item)
        key, value = item.items
        found = self.dv_dict.items.get(dicts.HashableTracker(key)) if dicts.is_hashable(item) else None
        if found is None or (found.is_python_constant() and value.is_python_constant()):
            return paired(self, tx, item)
        return lists.ConstantVariable.create(equal(tx, found, value))

    with state.replaced(
        (utils, "iter_contains", searching),
        (lists, "iter_contains", searching),
        (ranges, "sq_contains", counting),
        (pairs, "sq_contains", pairing),
    ):
        yield


def equal(tx: Any, item: Any, wanted: Any) -> bool:
    """Whether Python takes an item of a container for the wanted one; the graph follows the answer."""
    from torch._dynamo.variables import object_protocol

    return answered(tx, object_protocol.generic_richcompare_bool(tx, item, wanted, "__eq__"))
