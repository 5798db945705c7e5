"""Properties that raise an AttributeError, in classes with a `__getattr__`.

    class Config:
        @property
        def size(self):
            return self.missing              # AttributeError
        def __getattr__(self, name):         # Python asks for `missing`, and then for `size`
            return DEFAULTS[name]

Python calls `__getattr__` after each AttributeError of a look-up. Dynamo lets the exception of the property through;
the hook calls the method in its place.
"""

from __future__ import annotations

import types
from typing import Any

from ..base import hooks, trace_state
from ..base.dynamo_values import inline

FEATURE = hooks.Feature(__name__, hooks.GUARD, "properties that fail in front of `__getattr__`", partial=True)


@FEATURE.hook("object.getattr")
def ask_after_failure(read: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Call `__getattr__` where a property has raised an AttributeError."""
    from ..base.torch_names import ConstantVariable, ObservedAttributeError

    kind = type(self.value)
    if not isinstance(getattr(kind, "__getattr__", None), types.FunctionType) or not is_property(kind, name):
        return hooks.DECLINED
    try:
        return read(self, tx, name)
    except ObservedAttributeError:
        tx.exn_vt_stack.clear_current_exception()
    return inline(tx, ask, [self, ConstantVariable.create(name)], {})


def ask(owner: Any, name: str) -> Any:
    """The answer of `__getattr__`."""
    return type(owner).__getattr__(owner, name)


def is_property(kind: type, name: str) -> bool:
    """Whether a class has a property of a name."""
    return any(isinstance(vars(base)[name], property) for base in kind.__mro__ if name in vars(base))
