"""Membership among data-dependent numbers: `n in numbers`, `numbers.index(n)`, `numbers.count(n)`.

    steps = [int(x.argmax()), 4, 7]
    if 4 in steps: ...               # Dynamo compares with the constants only

Dynamo skips symbolic numbers as if they were different, and answers with a tensor where it compares tensors. Python
compares with each item, and finds NaN by its identity. The hooks compare like Python, and the graph follows the
answers. In addition, Dynamo's `n in range(9)` is a number, and Python's a truth value.
"""

from __future__ import annotations

from typing import Any

from ..base import hooks, trace_state
from ..capture.implicit_bool import decide, truth_answer
from .tensor_predicates_api import is_real

FEATURE = hooks.Feature(__name__, hooks.GAIN, "membership among numbers that data decide")


@FEATURE.hook("items.search")
def search_items(
    search: Any, trace: trace_state.Trace, items: Any, wanted: Any, tx: Any, *args: Any, **kwargs: Any
) -> Any:
    """Compare with each item, like Python."""
    from ..base.torch_names import ConstantVariable

    values = list(items)
    is_constant = wanted.is_python_constant()
    is_tensor = trace.whole and any(is_real_or_tensor(value.realize()) for value in (wanted, *values))
    if not (is_tensor or is_real(wanted) or (is_constant and not all(item.is_python_constant() for item in values))):
        return search(values, wanted, tx, *args, **kwargs)
    return ConstantVariable.create(any(equal(tx, item, wanted) for item in values))


@FEATURE.hook("list.method")
def search_list(call: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Trace `index` and `count`: the item object itself matches even if it is NaN."""
    from ..base.torch_names import ConstantVariable

    wanted = args[0].realize() if name in ("index", "count") and len(args) == 1 and not kwargs else None
    items = [item.realize() for item in self.items] if wanted is not None else []
    asks = is_real_or_tensor if trace.whole else is_real
    if wanted is None or not any(map(asks, (wanted, *items))):
        return hooks.DECLINED
    places = (place for place, item in enumerate(items) if item is wanted or equal(tx, item, wanted))
    if name == "count":
        return ConstantVariable.create(sum(1 for _ in places))
    place = next(places, None)
    return hooks.DECLINED if place is None else ConstantVariable.create(place)


@FEATURE.hook("range.contains", needed=False)
def search_range(within: Any, trace: trace_state.Trace, self: Any, tx: Any, item: Any) -> Any:
    """The answer of `n in range(...)` as a truth value."""
    from ..base.torch_names import ConstantVariable

    return ConstantVariable.create(bool(within(self, tx, item).as_python_constant()))


@FEATURE.hook("dict_items.contains", needed=False)
def search_pairs(paired: Any, trace: trace_state.Trace, self: Any, tx: Any, item: Any) -> Any:
    """Compare the value of a pair with the value in the dictionary, like Python."""
    from ..base.torch_names import ConstantVariable, HashableTracker, TupleVariable, is_hashable

    if not isinstance(item, TupleVariable) or len(item.items) != 2:
        return hooks.DECLINED
    key, value = item.items
    held = self.dv_dict.items.get(HashableTracker(key)) if is_hashable(item) else None
    if held is None or (held.is_python_constant() and value.is_python_constant()):
        return hooks.DECLINED
    return ConstantVariable.create(equal(tx, held, value))


def is_real_or_tensor(variable: Any) -> bool:
    """Whether Dynamo's variable is a number of the graph or a tensor."""
    return is_real(variable) or bool(variable.is_tensor())


def equal(tx: Any, item: Any, wanted: Any) -> bool:
    """Whether Python takes an item of a container for the wanted object; the graph follows the answer."""
    from ..base.torch_names import generic_richcompare_bool

    if item.realize().is_tensor() and item.realize() is wanted.realize():
        return True
    result = generic_richcompare_bool(tx, item, wanted, "__eq__")
    answer = decide(tx, result) if result.is_tensor() else None
    return truth_answer(tx, result) if answer is None else answer
