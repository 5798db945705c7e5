"""Properties that raise an AttributeError, in front of a `__getattr__` or of a default.

    class Config:
        @property
        def size(self):
            return self.missing              # AttributeError
        def __getattr__(self, name):         # Python asks for `missing`, and then for `size`
            return DEFAULTS[name]

Python calls `__getattr__` after each AttributeError of a look-up. Dynamo lets the exception of the property through;
the hook calls the method in its place. The default of `getattr(config, "size", 0)` stands for the same exception.
"""

from __future__ import annotations

import types
from typing import Any

import torch

from ..base import hooks, trace_state
from ..base.dynamo_values import inline

FEATURE = hooks.Feature(
    __name__, hooks.GUARD, "properties that fail in front of `__getattr__` or a default", partial=True
)


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


@FEATURE.hook("translator.call")
def read_or_default(call: Any, trace: trace_state.Trace, self: Any, function: Any, args: Any, kwargs: Any) -> Any:
    """Run the code of a look-up once for `getattr(owner, name, default)`; Dynamo runs it for `hasattr` as well."""
    if len(args) != 3 or kwargs or (getattr(function, "fn", None) or getattr(function, "_fn", None)) is not getattr:
        return hooks.DECLINED
    from ..base.torch_names import UserDefinedObjectVariable

    owner = args[0].realize()
    if not isinstance(owner, UserDefinedObjectVariable) or not args[1].is_python_constant():
        return hooks.DECLINED
    if not runs_code(type(owner.value), args[1].as_python_constant()):
        return hooks.DECLINED
    self.push(inline(self, get, args, {}))


def runs_code(kind: type, name: str) -> bool:
    """Whether a look-up in an object of a class may run code of the program."""
    hooked = [getattr(kind, method, None) for method in ("__getattr__", "__getattribute__")]
    own = (method for method in hooked if method is not torch.nn.Module.__getattr__)
    return is_property(kind, name) or any(isinstance(method, types.FunctionType) for method in own)


def get(owner: Any, name: str, default: Any) -> Any:
    """`getattr` with a default."""
    try:
        return getattr(owner, name)
    except AttributeError:
        return default
