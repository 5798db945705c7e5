"""Deques that change while a loop goes over their items.

    for job in jobs:             # a deque
        jobs.append(job + 1)     # RuntimeError: deque mutated during iteration

Dynamo goes over a deque as over a list: the loop meets new items, and may never end. Python raises an exception at the
next step of the loop. A step behind a change of the deque is left to Python; a loop that ends with the change stays.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from ..base import hooks, torch_names, trace_state
from .forbidden_items import Forbidden


@dataclasses.dataclass
class Iterators:
    """The iterators of one trace."""

    alive: dict[int, list[Any]] = dataclasses.field(default_factory=dict)  # by the address of the list of items


FEATURE = hooks.Feature(__name__, hooks.GUARD, "deques that change under a loop", partial=True, state=Iterators)
REASON = "a deque changes while its items are gone over"


@FEATURE.hook("list_iterator.create")
def note_iterator(make: Any, trace: trace_state.Trace, self: Any, items: Any, *args: Any, **kwargs: Any) -> None:
    """Note an iterator over a list of items, which may be that of a deque."""
    make(self, items, *args, **kwargs)
    FEATURE.of(trace).alive.setdefault(id(items), []).append(self)


@FEATURE.hook("builtin.call", of=(iter, reversed))
def note_copied(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Note an iterator over the items of a deque with a list of its own: from the last to the first, or before torch
    2.13.
    """
    if len(args) != 1 or not isinstance(args[0], torch_names.DequeVariable):
        return hooks.DECLINED
    iterator = call(self, tx, args, kwargs)
    FEATURE.of(trace).alive.setdefault(id(args[0].realize().items), []).append(iterator.realize())
    return iterator


@FEATURE.hook("effects.mutation")
def outdate_iterators(mutate: Any, trace: trace_state.Trace, self: Any, variable: Any) -> Any:
    """Outdate the iterators over a deque that changes."""
    if isinstance(variable, torch_names.DequeVariable):
        for iterator in FEATURE.of(trace).alive.pop(id(variable.items), ()):
            iterator.items = Forbidden(trace, REASON)
    return hooks.DECLINED
