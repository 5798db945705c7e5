"""`inspect.signature` of functions and methods that the program has from before the call.

    if "set_to_none" in inspect.signature(self.optimizer.zero_grad).parameters:

Dynamo traces the module `inspect` itself, as far as the globals of the function. Here the signature is made while
tracing, from the function that Dynamo holds with guards, and the graph's code keeps it as an object.
"""

from __future__ import annotations

import inspect
import types
from typing import Any, Optional

from ..base import hooks, trace_state
from ..base.dynamo_values import as_constant, attribute_of
from .function_attributes import table_of

FEATURE = hooks.Feature(__name__, hooks.GAIN, "signatures of functions")


@FEATURE.hook("function.call")
def call_signature(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Make a signature while tracing."""
    if getattr(self, "fn", None) is inspect.signature and len(args) == 1 and not kwargs:
        found = signature_of(tx, args[0].realize())
        if found is not None:
            return held(tx, found)
    return hooks.DECLINED


def signature_of(tx: Any, variable: Any) -> Optional[inspect.Signature]:
    """The signature of a function or method; None where it may be another one."""
    from ..base.torch_names import UserFunctionVariable, UserMethodVariable

    kind = type(variable)
    if kind not in (UserFunctionVariable, UserMethodVariable) or table_of(tx, variable):
        return None
    function = variable.fn
    if type(function) is not types.FunctionType or vars(function).keys() - {"__wrapped__"}:
        return None
    try:
        if kind is UserMethodVariable:
            return inspect.signature(types.MethodType(function, object()))
        hold_defaults(tx, variable)
        return inspect.signature(function)
    except Exception:  # a default value is no constant, or the function has no signature
        return None


def hold_defaults(tx: Any, variable: Any) -> None:
    """Guard the default values of a function, which programs may set; raises where one is no constant."""
    for name in ("__defaults__", "__kwdefaults__") if variable.source is not None else ():
        as_constant(attribute_of(tx, variable, name))


def held(tx: Any, value: Any) -> Any:
    """Dynamo's variable of an object that the graph's code keeps."""
    from ..base.torch_names import GlobalSource, VariableTracker

    name = tx.output.install_global_by_id("__graphmend_signature", value)
    return VariableTracker.build(tx, value, GlobalSource(name))
