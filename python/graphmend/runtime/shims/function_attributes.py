"""Attributes of functions, set by the call.

    def warn_once():
        if not warn_once.done:         # Dynamo reads a constant
            warn_once.done = True      # and breaks the graph here

Dynamo follows attributes of objects and of functions made by the call, but not of older functions. Here an older
function is tracked like an object, and the code behind the graph sets the attributes. `hasattr` of a function gets a
guard, because Dynamo takes the answer for a constant. `__qualname__` is a text: until torch 2.14, Dynamo gives the
descriptor that the class of functions has under the name.
"""

from __future__ import annotations

import types
from typing import Any, Optional

from ..base import hooks, trace_state
from ..base.dynamo_values import guard_attribute, real

FEATURE = hooks.Feature(__name__, hooks.GAIN, "attributes of functions that a call sets")


@FEATURE.hook("attribute.set")
def set_attribute(
    assign: Any, trace: trace_state.Trace, self: Any, tx: Any, item: Any, name: Any, value: Any
) -> Optional[Any]:
    """Set an attribute of a function."""
    from ..base.torch_names import DeletedVariable

    function, effects = function_behind(item), tx.output.side_effects
    if function is None or not name.is_python_constant() or is_pythons(name.as_python_constant()):
        return hooks.DECLINED
    if isinstance(value, DeletedVariable):
        return hooks.DECLINED
    if function not in effects:
        effects.track_object_existing(function, item)
    effects.store_attr(effects[function], name.as_python_constant(), value)
    return value


@FEATURE.hook("function.getattr")
def read_attribute(read: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Read an attribute of a function, set by the call or before."""
    written = table_of(tx, self)
    if name == "__dict__" and written:
        raise trace_state.SiteRefused("the attributes of a function are asked for where the call has set one")
    if name in written:
        return written[name]
    return hooks.DECLINED if name != "__qualname__" else qualified_name(tx, self)


def qualified_name(tx: Any, variable: Any) -> Any:
    """Dynamo's variable for the qualified name of a function."""
    from ..base.torch_names import AttrSource, VariableTracker

    function, source = getattr(variable, "fn", None), variable.source
    if type(function) is not types.FunctionType:
        return hooks.DECLINED
    return VariableTracker.build(tx, function.__qualname__, source and AttrSource(source, "__qualname__"))


@FEATURE.hook("function.hasattr")
def has_attribute(has: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Whether a function has an attribute."""
    from ..base.torch_names import ConstantVariable

    if name in table_of(tx, self):
        return ConstantVariable.create(True)
    if function_behind(self) is not None and not is_pythons(name):
        guard_attribute(self.source, name)
    return hooks.DECLINED


def is_pythons(name: Any) -> bool:
    """Whether the name is reserved for Python's own attributes of functions."""
    return type(name) is not str or name.startswith("__")


def function_behind(variable: Any) -> Optional[types.FunctionType]:
    """The function from before the call behind Dynamo's variable; None for other values."""
    from ..base.torch_names import UserFunctionVariable

    if type(variable) is not UserFunctionVariable or variable.source is None:
        return None
    function = variable.fn
    return function if type(function) is types.FunctionType and real(variable) is function else None


def table_of(tx: Any, variable: Any) -> dict[str, Any]:
    """Dynamo's variables for the attributes that the call has set in a function, by name."""
    effects = tx.output.side_effects
    function = getattr(variable, "fn", None)
    if type(function) is not types.FunctionType or function not in effects:
        return {}
    table: dict[str, Any] = effects.store_attr_mutations.get(effects[function], {})
    return table
