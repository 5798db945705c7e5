"""Tables of attributes behind hooks on tensors, `torch.cond` and other calls that Dynamo traces on trial.

    self.steps += 1
    out.register_hook(clip)        # Dynamo puts back the notes on side effects from before the hook was traced
    self.steps += 1                # goes to the new notes; `self.steps` is read from the old ones

Dynamo notes the writes of a call in one object, and replaces the object by a copy after a trace on trial. A table of
attributes goes on reading the first object. Later writes are lost, without an error. Here a table always reads the
present notes.
"""

from __future__ import annotations

import functools
import weakref
from typing import Any

from ..base import hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GUARD, "writes behind hooks on tensors", partial=True)


@FEATURE.hook("attribute_table.create", needed=False)
def read_present_notes(create: Any, trace: trace_state.Trace, cls: Any, tx: Any, owner: Any) -> Any:
    """Have a table read the present notes on side effects."""
    table = create(cls, tx, owner)
    kind: Any = type(table.items)
    table.items.__class__ = following(kind)
    table.items.output = weakref.ref(tx.output)  # a table must not keep what the call has made
    return table


@functools.lru_cache(maxsize=None)
def following(kind: type) -> type:
    """The class of the items of a table, with the notes of the trace in place of those from its construction."""
    notes = property(lambda items: items.output().side_effects)
    return type(kind.__name__, (kind,), {"side_effects": notes})
