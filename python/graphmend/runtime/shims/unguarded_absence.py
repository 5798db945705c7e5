"""Keys and attributes that an object does not have, and for which Dynamo has no guard.

    try:
        mask = self.masks[n]                            # KeyError in the first call
    except KeyError:
        mask = self.masks[n] = make_mask(n)

Dynamo guards what a program finds. A read that fails (a key of a dictionary, an attribute of an object) leaves no
guard, and Dynamo runs the graph of the handler again in a call where the object has the key or the attribute. The
absence gets a guard here, if the object lacked the key or the attribute before the call too.
"""

from __future__ import annotations

import inspect
import types
from typing import Any

from ..base import hooks, trace_state
from ..base.dynamo_values import can_be_guarded, guard_attribute, real

FEATURE = hooks.Feature(__name__, hooks.GAIN, "keys and attributes that are absent", partial=True)
MISSING = object()


@FEATURE.hook("dict.getitem")
def read_item(read: Any, trace: trace_state.Trace, self: Any, tx: Any, key: Any) -> Any:
    """Guard that a dictionary lacks a key."""
    if key not in self:
        self.install_dict_contains_guard(tx, [key])
    return hooks.DECLINED


@FEATURE.hook("object.getattr")
def read_attribute(read: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Guard that an object lacks an attribute."""
    from ..base.torch_names import ObservedAttributeError

    try:
        return read(self, tx, name)
    except ObservedAttributeError:
        if can_be_guarded(self.source) and lacks(real(self), name):
            guard_attribute(self.source, name)
        raise


def lacks(item: object, name: str) -> bool:
    """Whether an object has no attribute of a name, told without code of the program."""
    found = None if item is None else inspect.getattr_static(item, name, MISSING)
    if isinstance(found, types.MemberDescriptorType):  # an item of `__slots__`
        return not hasattr(item, name) and not hasattr(type(item), "__getattr__")
    if found is not MISSING:
        return False
    tables = (getattr(item, "__dict__", {}).get(table, ()) for table in ("_parameters", "_buffers", "_modules"))
    return not any(name in table for table in tables)
