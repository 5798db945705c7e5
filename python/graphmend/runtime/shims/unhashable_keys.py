"""Keys without a hash, in questions to a dictionary or a set.

    sizes.get([3, 4], 0)          # TypeError: unhashable type: 'list'
    names.discard(["a"])

Dynamo answers that the key is absent. The question is left to Python, and Python raises an exception.
"""

from __future__ import annotations

from typing import Any

from ..base import hooks, trace_state
from ..capture.trace_time import leave_to_python

FEATURE = hooks.Feature(__name__, hooks.GUARD, "keys without a hash", partial=True)


@FEATURE.hook("items.has")
def leave_unhashable(has: Any, trace: trace_state.Trace, self: Any, key: Any) -> Any:
    """Leave a key without a hash to Python."""
    from ..base.torch_names import VariableTracker, is_hashable

    if isinstance(key, VariableTracker) and not is_hashable(key):
        leave_to_python(trace, "a key without a hash")
    return hooks.DECLINED
