"""Orders that depend on data: `sorted` and `list.sort` with keys, and `max` and `min`, of tensors and numbers.

    best = max(candidates, key=lambda c: c.score.item())
    scores.sort()

Dynamo only sorts constants. Here the trace compares the keys in Python's order of comparisons, and the graph follows
the answers of the call.
"""

from __future__ import annotations

import types
from typing import Any, Optional

from ..base import hooks, trace_state
from ..base.dynamo_values import kind_of_break
from ..capture.implicit_bool import truth_answer

MAX_SORTED = 32
ITERATORS: tuple[Any, ...] = (
    types.GeneratorType,
    map,
    filter,
    zip,
    reversed,
    type(reversed([])),
    type(iter([])),
    type({}.values()),
)

FEATURE = hooks.Feature(__name__, hooks.GAIN, "orders that data decide")


class NotedKey:
    """The variable of a key function, replaced by an object that notes the keys."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.keys: list[Any] = []

    def is_constant_none(self) -> bool:
        """Whether there is no key function; always False."""
        return False

    def is_python_constant(self) -> bool:
        """The same question before torch 2.11."""
        return False

    def call_function(self, tx: Any, args: Any, kwargs: Any) -> Any:
        """The key of one item."""
        self.keys.append(self.inner.call_function(tx, args, kwargs))
        return self.keys[-1]


@FEATURE.hook("list.method")
def sort_by_data(call: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Trace `list.sort` with keys that are no constants."""
    if name != "sort" or args or not self.is_mutable() or not kwargs.keys() <= {"key", "reverse"}:
        return hooks.DECLINED
    from ..base.torch_names import Unsupported

    options = dict(kwargs)
    noted: Optional[NotedKey] = None
    if "key" in options and not options["key"].realize().is_constant_none():
        options["key"] = noted = NotedKey(options["key"])
    reverse = "reverse" in kwargs and bool(kwargs["reverse"].as_python_constant())
    items = list(self.items)
    try:
        return call(self, tx, name, args, options)
    except Unsupported as error:
        keys = items if noted is None else noted.keys
        if kind_of_break(error) != "sort with non-constant keys" or len(keys) != len(items) or len(items) > MAX_SORTED:
            raise
    order = order_of(tx, keys[::-1] if reverse else keys)
    if reverse:
        order = [len(items) - 1 - place for place in reversed(order)]
    tx.output.side_effects.mutation(self)
    self.items[:] = [items[place] for place in order]
    from ..base.torch_names import ConstantVariable

    return ConstantVariable.create(None)


def order_of(tx: Any, keys: list[Any]) -> list[int]:
    """The places of the keys in ascending order, by the comparisons of Python's sort for short lists."""
    order = list(range(len(keys)))
    if len(keys) < 2:
        return order
    run = 2
    is_falling = less(tx, keys[1], keys[0])
    while run < len(keys) and less(tx, keys[run], keys[run - 1]) is is_falling:
        run += 1
    if is_falling:
        order[:run] = reversed(order[:run])
    for place in range(run, len(keys)):
        low, high = 0, place
        while low < high:
            middle = (low + high) // 2
            if less(tx, keys[place], keys[order[middle]]):
                high = middle
            else:
                low = middle + 1
        order[: place + 1] = [*order[:low], place, *order[low:place]]
    return order


def less(tx: Any, first: Any, second: Any) -> bool:
    """Whether one key is less than another; the graph follows the answer."""
    from ..base.torch_names import generic_richcompare

    return truth_answer(tx, generic_richcompare(tx, first, second, "__lt__"))


def with_items(tx: Any, args: Any) -> Any:
    """The arguments of `max` or `min`, with the items of an iterator or a view of a dictionary."""
    from ..base.torch_names import TupleVariable, unpack_iterable

    is_iterator = len(args) == 1 and args[0].realize().python_type() in ITERATORS
    return [TupleVariable(list(unpack_iterable(tx, args[0])))] if is_iterator else args


def without_default(tx: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """The arguments of `max` or `min` with items, or with the default as the one item of an empty container."""
    from ..base.torch_names import TupleVariable, unpack_iterable

    items = list(unpack_iterable(tx, args[0]))
    rest = {name: item for name, item in kwargs.items() if name != "default"}
    return ([TupleVariable(items)], rest) if items else ([TupleVariable([kwargs["default"]])], {})


def compared_items(args: Any) -> list[Any]:
    """The items compared by `max` or `min`, where the trace knows their number."""
    from ..base.torch_names import BaseListVariable

    items = args[0].realize().items if len(args) == 1 and isinstance(args[0].realize(), BaseListVariable) else args
    return [item.realize() for item in items]


def of_rows(args: Any) -> bool:
    """Whether the items are tuples or lists, with a part that the trace does not know, or that may change.

    Dynamo copies the chosen item where all items are known.
    """
    from ..base.torch_names import BaseListVariable

    rows = compared_items(args)
    if len(rows) < 2 or not all(isinstance(row, BaseListVariable) for row in rows):
        return False
    return not all(row.is_python_constant() and is_fixed(row.as_python_constant()) for row in rows)


def is_fixed(value: Any) -> bool:
    """Whether a value is made of immutable constants."""
    return all(map(is_fixed, value)) if type(value) is tuple else not isinstance(value, (list, dict, set, bytearray))


def of_objects(args: Any) -> bool:
    """Whether there are objects of the program's own classes among the items, with comparisons of their own."""
    from ..base.torch_names import UserDefinedObjectVariable

    items = compared_items(args)
    return len(items) > 1 and any(isinstance(item, UserDefinedObjectVariable) for item in items)


def of_two_kinds(args: Any) -> bool:
    """Whether the items are numbers of several types, at least one of them symbolic.

    Dynamo converts such numbers to one type: `max(0.5, 1)` would be 1.0.
    """
    from ..base.torch_names import SymNodeVariable

    items = compared_items(args)
    if not any(isinstance(item, SymNodeVariable) for item in items):
        return False
    kinds = {item.python_type() for item in items}
    return len(kinds) > 1 and kinds <= {int, float, bool}


def extreme(tx: Any, largest: bool, args: Any, kwargs: Any) -> Any:
    """The result of `max` or `min`, by Python's comparisons; None where Dynamo's own function is right."""
    from ..base.torch_names import generic_richcompare, unpack_iterable

    key = kwargs["key"].realize() if "key" in kwargs else None
    if not kwargs.keys() <= {"key", "default"} or (key is not None and key.is_constant_none()):
        return None
    items = list(args) if len(args) > 1 else unpack_iterable(tx, args[0])
    if not items:
        return None
    best, value = items[0], items[0] if key is None else key.call_function(tx, [items[0]], {})
    for item in items[1:]:
        other = item if key is None else key.call_function(tx, [item], {})
        test = generic_richcompare(tx, other, value, "__gt__" if largest else "__lt__")
        if truth_answer(tx, test):
            best, value = item, other
    return best
