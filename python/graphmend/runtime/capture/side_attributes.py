"""Attributes of numbers that the sides of a branch write, merged behind the branch.

    if loss.item() < self.best:
        self.best = loss.item()
        self.bad = 0
    else:
        self.bad += 1       # the number from in front of the branch, plus 1

Dynamo traces a side and then the second side. The end of a side takes the writes of the side back. Behind both sides
each attribute gets the number that the graph selects (`merged_numbers.py`). An attribute without a write on a side
keeps the number there.
"""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any, Callable, Iterator, Optional

from ..base import trace_state
from ..base.dynamo_values import attribute_of, constant, inline, real, translator
from ..base.owned_state import OwnedState
from .identity_guard import type_of

PLAIN = (type(None), bool, int, float, str)


@dataclasses.dataclass
class Write:
    """The write of an attribute in a side: Dynamo's variables, and the further arguments of the store."""

    item: Any
    name: str
    before: Any  # the variable that an earlier write of the call has left; None without such a write
    value: Any
    options: tuple[tuple[Any, ...], dict[str, Any]]


Side = dict[tuple[int, str], Write]


@dataclasses.dataclass
class Sides:
    """The writes of all sides in a graph, by key of the region, and the merged values."""

    output: Any = None
    open: dict[str, list[Side]] = dataclasses.field(default_factory=dict)
    merged: dict[str, list[tuple[Write, Any]]] = dataclasses.field(default_factory=dict)

    def begin(self, key: str) -> None:
        """Begin the first side of a region."""
        self.open[key] = [{}]

    def note(self, key: str, write: Write) -> None:
        """Note a write of the current side."""
        side = self.open[key][-1]
        known = side.get((id(write.item), write.name))
        side[id(write.item), write.name] = dataclasses.replace(write, before=known.before) if known else write

    def end(self, key: str) -> Side:
        """End the current side of a region, and return the writes."""
        side = self.open[key][-1]
        self.open[key].append({})
        return side

    def settle(self, key: str, merged: list[tuple[Write, Any]]) -> None:
        """Keep the merged values of a region until the region is closed."""
        self.merged[key] = merged

    def close(self, key: str) -> list[tuple[Write, Any]]:
        """Forget a region, and return the merged values."""
        del self.open[key]
        return self.merged.pop(key, [])


SIDES = OwnedState(__name__, Sides)


@constant
def begin_sides(key: str) -> bool:
    """Begin the first side of a region."""
    trace = trace_state.local.trace
    assert trace is not None
    SIDES.of_graph(trace, translator().output).begin(key)
    return True


def may_write(trace: trace_state.Trace, item: Any, value: Any) -> bool:
    """Whether a side may write a value to an attribute of an object that is older than the side."""
    from ..base.torch_names import UserDefinedObjectVariable

    is_side = trace.whole and trace.open[-1][0] in SIDES.of_graph(trace, translator().output).open
    return is_side and isinstance(item, UserDefinedObjectVariable) and type_of(value) in PLAIN


def write(
    store: Callable[..., Any], trace: trace_state.Trace, effects: Any, item: Any, *args: Any, **kwargs: Any
) -> None:
    """Write to an attribute of an object from outside of the open side."""
    (name, value, *rest), key = args, trace.open[-1][0]
    table = effects.store_attr_mutations.get(item, {})
    before = table.get(name)
    if before is None and name not in getattr(real(item), "__dict__", {}):
        raise trace_state.SiteRefused(f"a side adds the attribute `{name}`")
    with as_old_as(item):
        store(effects, item, name, value.realize(), *rest, **kwargs)
    options = (tuple(rest), kwargs)
    SIDES.of_graph(trace, translator().output).note(key, Write(item, name, before, value.realize(), options))


@contextlib.contextmanager
def as_old_as(item: Any) -> Iterator[None]:
    """Inside the block, Dynamo's scope is the scope of an object, and allows writes to the object."""
    from ..base.torch_names import _current_scope_id, current_scope_id

    scope = current_scope_id()
    _current_scope_id.value = item.mutation_type.scope
    try:
        yield
    finally:
        _current_scope_id.value = scope


@constant
def end_side(key: str) -> bool:
    """Take back the writes of the side, and begin the second side."""
    trace, output = trace_state.local.trace, translator().output
    assert trace is not None
    mutations = output.side_effects.store_attr_mutations
    for write in SIDES.of_graph(trace, output).end(key).values():
        if write.before is not None:
            mutations[write.item][write.name] = write.before
            continue
        del mutations[write.item][write.name]
        if not mutations[write.item]:
            del mutations[write.item]
    return True


@constant
def merge_attributes(site: str, key: str, predicate: str, merge: Callable[..., Any]) -> bool:
    """Merge the values of all written attributes; `predicate` names a variable of the frame."""
    from ..base.torch_names import ConstantVariable

    trace, output = trace_state.local.trace, translator().output
    assert trace is not None
    current = output.current_tx
    sides = SIDES.of_graph(trace, output)
    first, second = sides.open[key][:2]
    merged = []
    for place in dict.fromkeys((*first, *second)):
        one, other = first.get(place), second.get(place)
        known = one or other
        assert known is not None
        values = [value_of(current, known, side) for side in (one, other)]
        names = [ConstantVariable.create(site), ConstantVariable.create(key), current.symbolic_locals[predicate]]
        merged.append((known, inline(current, merge, [*names, *values], {})))
    sides.settle(key, merged)
    return True


def value_of(current: Any, known: Write, write: Optional[Write]) -> Any:
    """The value of an attribute behind a side: the written value, or the value in front of the branch."""
    if write is not None:
        return write.value
    return known.before if known.before is not None else attribute_of(current, known.item, known.name).realize()


@constant
def store_attributes(key: str) -> bool:
    """Write the merged values, behind a region that is closed."""
    trace, output = trace_state.local.trace, translator().output
    assert trace is not None
    for write, value in SIDES.of_graph(trace, output).close(key):
        rest, kwargs = write.options
        output.side_effects.store_attr(write.item, write.name, value, *rest, **kwargs)
    return True
