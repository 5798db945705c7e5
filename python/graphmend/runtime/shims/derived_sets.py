"""Sets of classes of the program that a call makes or changes.

    class Names(set): ...

    names = Names(["a", "b"])       # leaves the call as an empty set

Dynamo makes such an object again behind the graph, with its attributes and without its items. A call that makes or
changes such a set, and does not drop the set, is left to Python.
"""

from __future__ import annotations

from typing import Any

from ..base import hooks, trace_state
from ..capture.trace_time import leave_frame_to_python

FEATURE = hooks.Feature(__name__, hooks.GUARD, "sets of classes of the program", partial=True)


@FEATURE.hook("effects.codegen")
def refuse_sets(write: Any, trace: trace_state.Trace, self: Any, cg: Any) -> Any:
    """Refuse objects of classes derived from `set` among what the call makes and changes."""
    from ..base.torch_names import UserDefinedObjectVariable

    for variable in self._get_modified_vars():
        if isinstance(variable, UserDefinedObjectVariable) and issubclass(variable.python_type(), set):
            leave_frame_to_python(trace, "a set of a class of the program is made or changed")
    return hooks.DECLINED
