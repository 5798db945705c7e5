"""Guards on the attributes of objects whose class answers look-ups with code of its own.

    class Settings:
        def __getattr__(self, name):
            self.misses += 1                # runs in each check of the guards: they count as well
            raise AttributeError(name)

    if hasattr(settings, "rate"): ...

Dynamo guards the answer of `hasattr` by asking again, when it makes the guard and in each later call. The question
runs `__getattr__`, or the function of a property. Dynamo has also traced the code, and guards the values that the code
has read. So the guard here looks into `__dict__` alone, where a name can appear without a change of the class.
"""

from __future__ import annotations

import inspect
from typing import Any

import torch

from ..base import hooks, trace_state
from ..base.dynamo_values import guarded_value

FEATURE = hooks.Feature(__name__, hooks.GAIN, "guards on attributes that code of a class answers", partial=True)
MISSING = object()


@FEATURE.hook("attribute.guard")
def look_into_table(install: Any, trace: trace_state.Trace, self: Any, guard: Any, attr: Any = None) -> Any:
    """Guard that the `__dict__` of an object lacks a name."""
    from ..base.torch_names import AttrSource, GuardBuilder

    source = guard.originating_source
    if attr is None:  # older torch takes the attribute for the source
        if not isinstance(source, AttrSource):
            return hooks.DECLINED
        attr, source = source.member, source.base
    item = guarded_value(self, source)
    if attr in getattr(item, "__dict__", (attr,)) or not is_answered_by_code(item, attr):
        return hooks.DECLINED
    return self.NOT_PRESENT_IN_GENERIC_DICT(source.make_guard(GuardBuilder.HASATTR), attr=attr)


def is_answered_by_code(item: Any, name: str) -> bool:
    """Whether a look-up of an attribute runs code of the program."""
    kind = type(item)
    if isinstance(item, (type, torch.Tensor)):
        return False
    found = inspect.getattr_static(kind, name, MISSING)
    if found is MISSING:
        return has_own_answers(kind)
    return isinstance(found, property) or inspect.isfunction(getattr(type(found), "__get__", None))


def has_own_answers(kind: type) -> bool:
    """Whether `__getattr__` of a class of the program answers for attributes that an instance lacks."""
    answers = next((vars(base)["__getattr__"] for base in kind.__mro__ if "__getattr__" in vars(base)), None)
    return answers not in (None, vars(torch.nn.Module)["__getattr__"])
