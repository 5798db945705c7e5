"""Attributes of dictionaries that are their items.

    class Config(dict):
        __getattr__ = dict.get
        __setattr__ = dict.__setitem__      # Dynamo breaks the graph at `config.scale = 2`, and at reads

A write to an attribute of such an object is a write to an item, and a read of an attribute that the object and the
class do not have is a read of an item.
"""

from __future__ import annotations

import inspect
from typing import Any

from ..base import hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GAIN, "attributes of dictionaries that are their items")


READERS = (dict.get, dict.__getitem__)
MISSING = object()


@FEATURE.hook("object.getattr")
def read_item(read: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Read an item in the place of an attribute."""
    from ..base.torch_names import ConstantVariable

    reader = getattr(self.python_type(), "__getattr__", None)
    if reader not in READERS or inspect.getattr_static(self.value, name, MISSING) is not MISSING:
        return hooks.DECLINED
    if tx.output.side_effects.has_pending_mutation_of_attr(self, name):
        return hooks.DECLINED
    return self.call_method(tx, reader.__name__, [ConstantVariable.create(name)], {})


@FEATURE.hook("attribute.set")
def set_item(store: Any, trace: trace_state.Trace, self: Any, tx: Any, item: Any, name: Any, value: Any) -> Any:
    """Set an item in the place of an attribute."""
    from ..base.torch_names import ConstantVariable, DeletedVariable, UserDefinedObjectVariable

    if not isinstance(item, UserDefinedObjectVariable) or isinstance(value, DeletedVariable):
        return hooks.DECLINED
    if item.python_type().__setattr__ is not dict.__setitem__:
        return hooks.DECLINED
    item.call_method(tx, "__setitem__", [name, value], {})
    return ConstantVariable.create(None)
