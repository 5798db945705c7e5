"""Members of enumerations of texts, which Dynamo does not know as texts.

    class Mode(str, enum.Enum):
        MEAN = "mean"

    Mode.MEAN.strip()  # a method of `str`, which the member is

A method that the enumeration inherits from `str` depends on the text and the arguments alone, and gives a plain text.
"""

from __future__ import annotations

import enum
import inspect
from typing import Any, Optional

from ..base import hooks, trace_state
from .constant_folding import folded

FEATURE = hooks.Feature(__name__, hooks.GAIN, "methods of members of enumerations of texts")


@FEATURE.hook("object.getattr")
def read_method(call: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """A method of `str` that a member of an enumeration inherits."""
    from ..base.torch_names import GuardBuilder, LambdaVariable, install_guard

    text = text_of(self.value, name)
    if text is None:
        return call(self, tx, name)
    if self.source is not None:
        install_guard(self.source.make_guard(GuardBuilder.ID_MATCH))

    def calling(*args: Any, **kwargs: Any) -> Any:
        found = folded(tx, getattr(text, name), args, kwargs)
        return call(self, tx, name).call_function(tx, list(args), kwargs) if found is None else found

    return LambdaVariable(calling)


def text_of(value: Any, name: str) -> Optional[str]:
    """The text that a member of an enumeration is, where it inherits a method of this name; None for all others."""
    if not isinstance(value, str) or not isinstance(value, enum.Enum) or name.startswith("_"):
        return None
    inherited = inspect.getattr_static(type(value), name, None) is vars(str).get(name)
    return str.__str__(value) if inherited and name in vars(str) else None
