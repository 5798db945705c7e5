"""Methods that a program replaces in a class between two calls.

    step(x)                                         # the graph has `Block.forward`
    with mock.patch.object(Block, "forward", quick):
        step(x)                                     # Dynamo runs the graph of the first call

Dynamo looks a method up in the class, and guards the object alone. Without mends, a graph ends at a break, and Python
looks up the methods behind it. So each method that a whole call inlines is guarded in its class, once for a class:
methods of torch's own classes are not.
"""

from __future__ import annotations

import inspect
import types
from typing import Any, Optional

from ..base import folders, hooks, trace_state
from ..base.dynamo_values import can_be_guarded, real

FEATURE: hooks.Feature[set[tuple[type, types.CodeType]]] = hooks.Feature(
    __name__, hooks.GAIN, "methods that the program replaces in a class", state=set
)


@FEATURE.hook("inlined.run")
def guard_method(run: Any, trace: trace_state.Trace, self: Any) -> Any:
    """Guard the method that a frame runs."""
    code = self.f_code
    if code.co_argcount and not code.co_filename.startswith((folders.TORCH, folders.RUNTIME)):
        owner = self.symbolic_locals.get(code.co_varnames[0])
        if owner is not None and owner.source is not None:
            guard(FEATURE.of(trace), owner, code)
    return hooks.DECLINED


def guard(guarded: set[tuple[type, types.CodeType]], owner: Any, code: types.CodeType) -> None:
    """Guard that the class of an object has the method with this code."""
    from ..base.torch_names import AttrSource, GuardBuilder, TypeSource, install_guard

    kind = type(real(owner))
    if (kind, code) in guarded:
        return
    guarded.add((kind, code))
    name = name_of(kind, code)
    if name is not None and can_be_guarded(owner.source):
        install_guard(AttrSource(TypeSource(owner.source), name).make_guard(GuardBuilder.ID_MATCH))


def name_of(kind: type, code: types.CodeType) -> Optional[str]:
    """The name under which a class has the function with this code, which may be the mended form of another code."""
    place = code.co_filename, code.co_firstlineno
    for base in kind.__mro__:
        for name, value in vars(base).items():
            if isinstance(value, types.FunctionType) and place == (
                value.__code__.co_filename,
                value.__code__.co_firstlineno,
            ):
                return name if inspect.getattr_static(kind, name) is value else None
    return None
