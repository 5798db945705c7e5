"""Attributes of an `OrderedDict` that the call makes.

    weights = self.encoder.state_dict()     # sets `weights._metadata`, and Dynamo from torch 2.15 on breaks the graph

From torch 2.15 on, Dynamo's variable of an `OrderedDict` has no attributes; that of an object of the program has. A
function that sets attributes gets the second one. An `OrderedDict` of the first kind has the names of its class alone.
"""

from __future__ import annotations

import collections
import dis
import functools
import types
from typing import Any

from ..base import folders, hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GAIN, "attributes of an `OrderedDict`")


@FEATURE.hook("class.method")
def make(call: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Make an `OrderedDict` that may have attributes."""
    from ..base.torch_names import ConstDictVariable, UserDefinedObjectVariable, VariableTracker

    if name != "__new__" or self.value is not collections.OrderedDict or not sets_attributes(caller(tx)):
        return hooks.DECLINED
    made = call(self, tx, name, args, kwargs)
    if not isinstance(made, ConstDictVariable) or isinstance(made, UserDefinedObjectVariable):
        return made
    base = VariableTracker.build(tx, dict)
    return tx.output.side_effects.track_new_user_defined_object(base, self, [], tx=tx)


@FEATURE.hook("dict.hasattr")
def has(ask: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Whether an `OrderedDict` without attributes has a name; one from before the call is asked for Python's names."""
    from ..base.torch_names import ConstantVariable

    if self.python_type() is not collections.OrderedDict or (self.source is not None and not name.startswith("__")):
        return hooks.DECLINED
    return ConstantVariable.create(hasattr(collections.OrderedDict, name))


def caller(tx: Any) -> types.CodeType:
    """The code that calls a class; Dynamo calls a class by functions of its own."""
    while tx.f_code.co_filename.startswith(folders.DYNAMO) and getattr(tx, "parent", None) is not None:
        tx = tx.parent
    code: types.CodeType = tx.f_code
    return code


@functools.lru_cache(maxsize=1024)
def sets_attributes(code: types.CodeType) -> bool:
    """Whether code sets attributes of objects."""
    return any(instruction.opname == "STORE_ATTR" for instruction in dis.get_instructions(code))
