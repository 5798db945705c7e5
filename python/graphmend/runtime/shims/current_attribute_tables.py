"""Tables of attributes behind hooks on tensors, `torch.cond` and other calls that Dynamo traces on trial.

    self.steps += 1
    out.register_hook(clip)        # Dynamo puts back the notes on side effects from before the hook was traced
    self.steps += 1                # goes to the new notes; `self.steps` is read from the old ones

Dynamo notes the writes of a call in one object, and replaces the object by a copy after a trace on trial. A table of
attributes goes on reading the first object. Later writes are lost, without an error. Here a table always reads the
present notes.

A table, Dynamo's variable of the object, and the object refer to each other. The end of a trace takes them apart, so
that an object of the program dies as soon as without a trace.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, Iterator

from ..base import hooks, trace_state


@dataclasses.dataclass
class Tables:
    """The items of the tables that one trace has made."""

    items: list[Any] = dataclasses.field(default_factory=list)


FEATURE = hooks.Feature(__name__, hooks.GUARD, "writes behind hooks on tensors", partial=True, state=Tables)


@FEATURE.scope
def take_apart(trace: trace_state.Trace) -> Iterator[None]:
    """Cut the references of the tables behind the trace."""
    try:
        yield
    finally:
        for items in FEATURE.of(trace).items:
            vars(items).clear()
        FEATURE.of(trace).items.clear()


@FEATURE.hook("attribute_table.create", needed=False)
def read_present_notes(create: Any, trace: trace_state.Trace, cls: Any, tx: Any, owner: Any) -> Any:
    """Have a table read the present notes on side effects."""
    table = create(cls, tx, owner)
    kind: Any = type(table.items)
    table.items.__class__ = following(kind)
    table.items.output = tx.output
    FEATURE.of(trace).items.append(table.items)
    return table


@functools.lru_cache(maxsize=None)
def following(kind: type) -> type:
    """The class of the items of a table, with the notes of the trace in place of those from its construction."""
    notes = property(lambda items: items.output.side_effects)
    return type(kind.__name__, (kind,), {"side_effects": notes})
