"""Dataclass instances in prints: the flush makes an equal instance from the class and the fields.

    metrics = Metrics(loss.item(), hits)
    print(metrics)                      # the `__repr__` of `dataclasses` shows the fields, and nothing else
    metrics.loss = 0.0                  # comes before the flush

The instance may change before the flush, so the effect queue gets the fields of the moment. Copies are invisible where
only the generated `__repr__` looks at them: in prints that hand the instance on, for classes without a text, attribute
lookup, construction or finalizer of their own.
"""

from __future__ import annotations

import dataclasses
import reprlib
import types
from typing import Any

from ..base import trace_state
from ..base.dynamo_values import attribute_of, constant, translator
from .trace_time_effects import SHOWN

PRINTS = "GM301"
SIMPLE = (int, float, bool, str, bytes, type(None))
GENERATED = "<string>"  # the file name of functions made by `dataclasses`
OWN = ("__getattr__", "__del__", "__rich__", "__rich_repr__", "__rich_console__")
DEFAULTS = ("__str__", "__format__", "__getattribute__", "__new__")


@constant
def shown_fields(site: str, name: str) -> str:
    """The fields in the text of a dataclass instance of the calling frame, with commas; empty for other values."""
    trace, current = trace_state.local.trace, translator().output.current_tx
    assert trace is not None
    variable = current.symbolic_locals[name].realize()
    kind = getattr(variable, "value_type", None)
    if trace_state.rule_of(site) != PRINTS or SHOWN.of(trace).asks or kind is None or not shows_fields_alone(kind):
        return ""
    names = [field.name for field in dataclasses.fields(kind) if field.repr]
    if not all(is_simple(attribute_of(current, variable, field).realize()) for field in names):
        return ""
    return ",".join(names)


def shows_fields_alone(kind: type) -> bool:
    """Whether the text of an instance is made by `dataclasses` from its fields, and making an instance does nothing."""
    if not dataclasses.is_dataclass(kind) or type(kind) is not type:
        return False
    method = vars(kind).get("__repr__")
    written = getattr(method, "__wrapped__", None)
    if not isinstance(method, types.FunctionType) or not isinstance(written, types.FunctionType):
        return False
    is_generated = (
        method.__code__.co_filename in (dataclasses.__file__, reprlib.__file__)
        and written.__code__.co_filename == GENERATED
    )
    is_default = all(getattr(kind, name) is getattr(object, name) for name in DEFAULTS)
    has_own = any(hasattr(kind, name) for name in OWN)
    return is_generated and is_default and not has_own and not any(map(is_computed, shown_members(kind)))


def shown_members(kind: type) -> list[Any]:
    """What the class holds under the names of the fields: default values, and descriptors of slots."""
    names = [field.name for field in dataclasses.fields(kind)]
    return [table[name] for table in map(vars, kind.__mro__) for name in names if name in table]


def is_computed(member: Any) -> bool:
    """Whether a member of a class computes the attribute of its name."""
    return hasattr(type(member), "__get__") and type(member) is not types.MemberDescriptorType


def is_simple(variable: Any) -> bool:
    """Whether Dynamo's variable is a number, a text, None or a tensor."""
    if variable.is_tensor():
        return True
    try:
        return variable.python_type() in SIMPLE
    except NotImplementedError:
        return False


def instance_of(parts: list[Any]) -> Any:
    """An instance of a class with these fields, made without calling the class."""
    kind, names, *values = parts
    instance = object.__new__(kind)
    for name, value in zip(names.split(","), values):
        object.__setattr__(instance, name, value)
    return instance
