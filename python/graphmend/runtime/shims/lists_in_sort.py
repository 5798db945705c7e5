"""Lists read by the key function of their own `sort`.

    jobs.sort(key=lambda job: (len(jobs), job.cost))     # len(jobs) is 0: Python empties the list while it sorts

Dynamo calls the key function beside the full list, and goes on for ever where the function adds items. A key function
with a look at the list is left to Python.
"""

from __future__ import annotations

from typing import Any

from ..base import hooks, trace_state
from .forbidden_items import Forbidden

FEATURE = hooks.Feature(__name__, hooks.GUARD, "lists that are being sorted", partial=True)
REASON = "a key function looks at the list that is sorted"


class GuardedKey:
    """The variable of a key function; hides the list during each call."""

    def __init__(self, inner: Any, owner: Any, trace: trace_state.Trace) -> None:
        self.inner, self.owner, self.trace = inner, owner, trace

    def realize(self) -> Any:
        """The variable itself."""
        return self

    def call_function(self, tx: Any, args: Any, kwargs: Any) -> Any:
        """The key of one item."""
        items = self.owner.items
        self.owner.items = Forbidden(self.trace, REASON)
        try:
            return self.inner.call_function(tx, args, kwargs)
        finally:
            self.owner.items = items

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


@FEATURE.hook("list.method")
def hide_list(call: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Hide a list from the key function of its `sort`."""
    if name != "sort" or "key" not in kwargs:
        return hooks.DECLINED
    key = GuardedKey(kwargs["key"].realize(), self, trace)
    return call(self, tx, name, args, {**kwargs, "key": key})
