"""The `__dict__` of an object made and forgotten by the call.

    point = Point(1, 2)
    return x, vars(point)          # Dynamo gives {}: the attributes of an unused object are dropped

The variable of the table gets the object as an attribute, and Dynamo keeps the object. The code behind the graph makes
the object and reads the `__dict__` of the object.
"""

from __future__ import annotations

from typing import Any

from ..base import hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GAIN, "tables of attributes of new objects", partial=True)
OWNER = "graphmend_owner"  # Dynamo looks for variables in all attributes of a variable


@FEATURE.hook("attribute_table.create", needed=False)
def keep_owner(create: Any, trace: trace_state.Trace, cls: Any, tx: Any, owner: Any) -> Any:
    """Note the object of a table."""
    from ..base.torch_names import AttributeMutationNew, UserDefinedObjectVariable

    table = create(cls, tx, owner)
    if isinstance(owner, UserDefinedObjectVariable) and isinstance(owner.mutation_type, AttributeMutationNew):
        setattr(table, OWNER, owner)
    return table


@FEATURE.hook("dictionary.reconstruct", needed=False)
def load_table(make: Any, trace: trace_state.Trace, self: Any, codegen: Any) -> Any:
    """Read the table from the object."""
    owner = vars(self).get(OWNER)
    if owner is None or self.source is not None:
        return hooks.DECLINED
    codegen(owner)
    codegen.extend_output([codegen.create_load_attr("__dict__")])
    return None
