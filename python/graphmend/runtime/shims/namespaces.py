"""Namespaces that a call makes.

    out = types.SimpleNamespace(loss=loss, steps=3)     # Dynamo makes no object of a class in C
    out.rate = out.loss / out.steps

The object starts empty, as after `SimpleNamespace.__new__`, and gets the keyword arguments as attributes. Comparisons
and texts of a namespace read all attributes in C, which no trace sees: the part of the call is left to Python.
"""

from __future__ import annotations

import types
from typing import Any

from ..base import hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GAIN, "objects of types.SimpleNamespace")

# Methods that decide how an object is made and how attributes are set.
DECIDING = ("__new__", "__init__", "__setattr__", "__getattribute__")


def is_namespace(kind: Any) -> bool:
    """Whether a class makes its objects as `types.SimpleNamespace` does."""
    return (
        isinstance(kind, type)
        and issubclass(kind, types.SimpleNamespace)
        and all(getattr(kind, name) is getattr(types.SimpleNamespace, name) for name in DECIDING)
    )


@FEATURE.hook("class.call")
def make(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Make a namespace; positional arguments, a mapping from Python 3.13 on, are left to Python."""
    from ..base.torch_names import AttributeMutationNew, UserDefinedObjectVariable, VariableTracker

    if args or not is_namespace(self.value):
        return hooks.DECLINED
    example = types.SimpleNamespace.__new__(self.value)
    made = UserDefinedObjectVariable(
        example,
        cls_source=self.source,
        base_cls_vt=VariableTracker.build(tx, types.SimpleNamespace),
        init_args=[],
        mutation_type=AttributeMutationNew(self.source),
    )
    effects = tx.output.side_effects
    effects.id_to_variable[id(example)] = made
    effects.keepalive.append(example)
    for name, value in kwargs.items():
        made.call_method(tx, "__setattr__", [VariableTracker.build(tx, name), value], {})
    return made
