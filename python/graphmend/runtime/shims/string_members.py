"""String methods of enumeration members, and of the names of torch's classes.

    class Mode(str, enum.Enum):
        MEAN = "mean"

    Mode.MEAN.strip()  # Dynamo does not know the member as a string

    type(layer.weight).__module__.startswith("torchao.")  # nor the name of a class that graphs may call

A method inherited from `str` depends only on the member's text and the arguments, and returns a plain string.
"""

from __future__ import annotations

import enum
import inspect
from typing import Any, Optional

from ..base import hooks, trace_state
from .constant_folding import fold_call

FEATURE = hooks.Feature(__name__, hooks.GAIN, "methods of members of enumerations of texts, of names of classes")

NAMES = ("__module__", "__name__", "__qualname__")


@FEATURE.hook("object.getattr")
def read_method(call: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Read a method of `str` inherited by an enumeration member."""
    from ..base.torch_names import GuardBuilder, LambdaVariable, install_guard

    text = text_of(self.value, name)
    if text is None:
        return hooks.DECLINED
    if self.source is not None:
        install_guard(self.source.make_guard(GuardBuilder.ID_MATCH))

    def call_method(*args: Any, **kwargs: Any) -> Any:
        result = fold_call(tx, getattr(text, name), args, kwargs)
        return call(self, tx, name).call_function(tx, list(args), kwargs) if result is None else result

    return LambdaVariable(call_method)


@FEATURE.hook("translator.call")
def call_of_name(call: Any, trace: trace_state.Trace, self: Any, function: Any, args: Any, kwargs: Any) -> Any:
    """Call a method of the name of a class of torch."""
    owner = vars(function).get("obj")
    if owner is None:
        return hooks.DECLINED
    from ..base.torch_names import GetAttrVariable, TorchInGraphFunctionVariable

    if not type(function) is type(owner) is GetAttrVariable or type(owner.obj) is not TorchInGraphFunctionVariable:
        return hooks.DECLINED
    text = getattr(owner.obj.value, owner.name) if owner.name in NAMES else None
    method = getattr(text, function.name, None) if type(text) is str else None
    result = fold_call(self, method, args, kwargs) if method is not None else None
    if result is None:
        return hooks.DECLINED
    return self.push(result)


def text_of(value: Any, name: str) -> Optional[str]:
    """The text of an enumeration member with an inherited method of this name; None for other values."""
    if not isinstance(value, str) or not isinstance(value, enum.Enum) or name.startswith("_"):
        return None
    is_inherited = inspect.getattr_static(type(value), name, None) is vars(str).get(name)
    return str.__str__(value) if is_inherited and name in vars(str) else None
