"""A new `__dict__` for an object.

    class Shared:
        state = {}
        def __init__(self):
            self.__dict__ = self.state        # all objects share their attributes
        def is_ready(self):
            return self.ready                 # Dynamo looks in the object as it was made

Dynamo keeps attributes that a call sets by object, and sees those of the new dictionary in some releases only. Here an
object that the call makes, and that has no attributes yet, may get a dictionary from before the call: its attributes
are looked up there. Other assignments, and changes of attributes of such an object, are left to Python; an attribute
that is set to the value that it has changes nothing.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Optional

from ..base import hooks, trace_state
from ..base.dynamo_values import are_python_classes, inline, real, translator
from ..capture.trace_time import leave_to_python


@dataclasses.dataclass
class Tables:
    """Dynamo's variables of the new dictionaries in one graph, by the variable of their object."""

    output: Any = None
    of_objects: dict[Any, Any] = dataclasses.field(default_factory=dict)


FEATURE = hooks.Feature(__name__, hooks.GUARD, "objects that get a new `__dict__`", partial=True, state=Tables)


@FEATURE.hook("effects.store")
def leave_table(
    store: Any, trace: trace_state.Trace, self: Any, item: Any, name: Any, *args: Any, **kwargs: Any
) -> Any:
    """Leave a new table of attributes, and changes of one, to Python."""
    tables = FEATURE.of_graph(trace, self.output_graph_weakref()).of_objects
    if name == "__dict__":
        if not is_shared(self, item, args[0]):
            leave_to_python(trace, "an object gets a new `__dict__`")
        tables[item] = args[0]
    elif item in tables and is_no_change(tables[item], name, args[0]):
        return None
    elif item in tables or any(real(table) is table_behind(item) for table in tables.values()):
        leave_to_python(trace, "an attribute of objects that share a new `__dict__` is set")
    return hooks.DECLINED


@FEATURE.hook("object.getattr")
def read_attribute(read: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Look an attribute up in the new table of the object."""
    table = FEATURE.of_graph(trace, tx.output).of_objects.get(self)
    if table is None or name == "__class__" or hasattr(getattr(type(self.value), name, None), "__set__"):
        return hooks.DECLINED
    if name == "__dict__":
        return table
    item = item_of(tx, table, name)
    return hooks.DECLINED if item is None else item


def is_shared(effects: Any, item: Any, table: Any) -> bool:
    """Whether an object without attributes, made by the call, gets a plain dictionary from before the call."""
    from ..base.torch_names import UserDefinedObjectVariable

    if type(item) is not UserDefinedObjectVariable or item.source is not None or effects.store_attr_mutations.get(item):
        return False
    kind, found = type(item.value), real(table)
    if type(found) is not dict or table.source is None or not are_python_classes(kind):
        return False
    return all(getattr(kind, name) is getattr(object, name) for name in ("__setattr__", "__getattribute__"))


def table_behind(item: Any) -> Optional[dict[str, Any]]:
    """The `__dict__` of an object from before the call; None for other objects."""
    if getattr(item, "source", None) is None:
        return None
    table: Optional[dict[str, Any]] = getattr(real(item), "__dict__", None)
    return table


def is_no_change(table: Any, name: str, value: Any) -> bool:
    """Whether a table has the same small constant under a name already."""
    item = item_of(translator(), table, name)
    if item is None or not item.is_python_constant() or not value.is_python_constant():
        return False
    before, after = item.as_python_constant(), value.as_python_constant()
    return before is after and type(after) in (bool, type(None))


def item_of(tx: Any, table: Any, name: str) -> Optional[Any]:
    """Dynamo's variable of an item in a table; None without the item."""
    from ..base.torch_names import ConstantVariable

    key = ConstantVariable.create(name)
    has = inline(tx, is_item, [table, key], {})
    return inline(tx, get_item, [table, key], {}) if has.as_python_constant() else None


def get_item(table: dict[str, Any], name: str) -> Any:
    """An item of a table."""
    return table[name]


def is_item(table: dict[str, Any], name: str) -> bool:
    """Whether a table has an item."""
    return name in table
