"""The `__dict__` of a class with attributes set by the call.

    if "count" not in vars(cls):     # Dynamo reads the class as it was before the call
        cls.count = 0                # pending until the graph has run

Dynamo makes a view of the class from before the call. A view asked for while writes to the class are pending is left to
Python, like each use of an older view behind a write. The test above stays in the graph.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from ..base import hooks, trace_state
from ..capture.trace_time import leave_to_python
from .forbidden_items import Forbidden


@dataclasses.dataclass
class Tables:
    """The views of classes that one trace has read."""

    views: list[tuple[type, Any]] = dataclasses.field(default_factory=list)  # by class: Dynamo's variable


FEATURE = hooks.Feature(__name__, hooks.GUARD, "tables of attributes of classes", partial=True, state=Tables)
REASON = "the attributes of {}, which the call has set, are read as a dictionary"


@FEATURE.hook("class.getattr")
def read_table(read: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Note a view of a class."""
    if name != "__dict__":
        return hooks.DECLINED
    if has_writes(tx.output.side_effects, self.value):
        leave_to_python(trace, REASON.format(self.value.__name__))
    view = read(self, tx, name)
    FEATURE.of(trace).views.append((self.value, view))
    return view


@FEATURE.hook("effects.store")
def outdate_views(store: Any, trace: trace_state.Trace, self: Any, item: Any, *args: Any, **kwargs: Any) -> Any:
    """Outdate the views of a class that the call sets an attribute of."""
    for owner, view in FEATURE.of(trace).views:
        if getattr(item, "value", None) is owner and hasattr(view.realize(), "dv_dict"):
            view.realize().dv_dict = Forbidden(trace, REASON.format(owner.__name__))
    return hooks.DECLINED


def has_writes(effects: Any, owner: type) -> bool:
    """Whether writes to attributes of a class are pending."""
    return any(getattr(item, "value", None) is owner and table for item, table in effects.store_attr_mutations.items())
