"""Keys and attributes that an object does not have, and for which Dynamo has no guard.

    try:
        mask = self.masks[n]                            # KeyError in the first call
    except KeyError:
        mask = self.masks[n] = make_mask(n)

Dynamo guards what a program finds. A read that fails (a key of a dictionary, an attribute of an object) leaves no
guard, and Dynamo runs the graph of the handler again in a call where the object has the key or the attribute. The
absence gets a guard here, if the object lacked the key or the attribute before the call too.
"""

from __future__ import annotations

import inspect
import types
from typing import Any

import torch

from ..base import hooks, trace_state
from ..base.dynamo_values import can_be_guarded, guard_attribute, real
from .attribute_guards import has_own_answers

FEATURE = hooks.Feature(__name__, hooks.GAIN, "keys and attributes that are absent", partial=True)
MISSING = object()


@FEATURE.hook("dict.getitem")
def read_item(read: Any, trace: trace_state.Trace, self: Any, tx: Any, key: Any) -> Any:
    """Guard that a dictionary lacks a key."""
    if key not in self:
        self.install_dict_contains_guard(tx, [key])
    return hooks.DECLINED


@FEATURE.hook("object.getattr")
def read_attribute(read: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Guard that an object lacks an attribute, also where `__getattr__` of its class has an answer.

    The guard of an attribute that is there would ask `__getattr__` in a later call without the attribute. It reads the
    attribute as `object.__getattribute__` does.
    """
    from ..base.torch_names import GenericAttrSource, ObservedAttributeError, VariableTracker

    answers = has_own_answers(self.python_type()) and not tx.output.side_effects.has_pending_mutation_of_attr(
        self, name
    )
    if answers and can_be_guarded(self.source) and is_item(real(self), name):
        return VariableTracker.build(tx, vars(real(self))[name], source=GenericAttrSource(self.source, name))
    try:
        value = read(self, tx, name)
    except ObservedAttributeError:
        if can_be_guarded(self.source) and lacks(real(self), name):
            guard_attribute(self.source, name)
        raise
    if answers and can_be_guarded(self.source) and lacks(real(self), name):
        guard_attribute(self.source, name)
    return value


def is_item(item: object, name: str) -> bool:
    """Whether an attribute of an object comes from `__dict__`."""
    if isinstance(item, (torch.nn.Module, type)) or type(item).__getattribute__ is not object.__getattribute__:
        return False
    return name in getattr(item, "__dict__", ()) and inspect.getattr_static(type(item), name, MISSING) is MISSING


def lacks(item: object, name: str) -> bool:
    """Whether an object has no attribute of a name, told without code of the program."""
    found = None if item is None else inspect.getattr_static(item, name, MISSING)
    if isinstance(found, types.MemberDescriptorType):  # an item of `__slots__`
        return not hasattr(item, name) and not hasattr(type(item), "__getattr__")
    if found is not MISSING:
        return False
    tables = (getattr(item, "__dict__", {}).get(table, ()) for table in ("_parameters", "_buffers", "_modules"))
    return not any(name in table for table in tables)
