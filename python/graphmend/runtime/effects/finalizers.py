"""Guards for objects whose end the program notices: `__del__`, weak references with a callback, suspended generators.

    class Handle:
        def __del__(self):
            print("closed")        # eager Python prints in the middle of the call

Dynamo makes the objects of a call behind the graph, and unused objects never. Finalizers and callbacks would run late
or not at all. A whole graph that makes such objects is refused. An older object may also end, where the call replaces
the last reference; the code behind the graph looks into replaced values, and the call runs again in eager Python where
a replaced value has a finalizer.
"""

from __future__ import annotations

import functools
import random
import types
import weakref
from typing import Any, Collection

import torch

from ..base import hooks, trace_state
from ..base.closures import contents_of_cell

FEATURE = hooks.Feature(__name__, hooks.GUARD, "the end of objects")

MOST = 1000  # objects inspected among the values that a call replaces
CONTAINERS = (list, tuple, set, frozenset, dict)
SUSPENDED = (types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType)  # a pending `finally` runs at the end
QUIET = (
    *(type(None), int, float, complex, str, bytes, type, torch.Tensor, torch.nn.Module, torch.dtype, torch.device),
    *(types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType, torch.Generator),
)


class Ending(Exception):
    """Raised before any change where a call would end an object with a finalizer."""


@FEATURE.hook("class.call")
def watch_callback(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Refuse a whole graph with a new weak reference with a callback, or a new object with a finalizer.

    Dynamo makes an example of the object during the trace, and Python would finalize the example, too.
    """
    if trace.whole and self.value is weakref.ref and len(args) > 1:
        raise trace_state.SiteRefused("the function is told of the end of an object")
    if trace.whole and has_finalizer(self.value):
        refuse(self.value)
    return hooks.DECLINED


def has_finalizer(kind: type) -> bool:
    """Whether a class has a `__del__` written in Python."""
    return isinstance(getattr(kind, "__del__", None), types.FunctionType)


def refuse(kind: type) -> None:
    """Refuse the whole graph because of new objects of a class."""
    raise trace_state.SiteRefused(f"the call makes an object with a finalizer ({kind.__name__})")


def refuse_finalized(output: Any) -> None:
    """Refuse a graph whose call makes an object with a finalizer in another way, such as `copy.copy`."""
    from ..base.torch_names import AttributeMutationExisting

    effects = output.side_effects
    for value in effects.keepalive:
        variable = effects.id_to_variable.get(id(value))
        is_older = variable is not None and isinstance(variable.mutation_type, AttributeMutationExisting)
        if has_finalizer(type(value)) and not is_older:
            refuse(type(value))


def values_held(target: Any, names: Any) -> Any:
    """The values that an object holds under these attributes, or its items where `names` is None."""
    if names is None:
        if isinstance(target, random.Random):
            return ()
        return target.values() if isinstance(target, dict) else target
    if isinstance(target, types.CellType):
        return contents_of_cell(target)
    attributes = target if type(target) is dict else getattr(target, "__dict__", {})
    return [attributes[name] for name in names if name in attributes]


@functools.lru_cache(maxsize=1024)
def is_quiet(kind: type) -> bool:
    """Whether objects of a type end unnoticed, and hold no objects whose end is noticed."""
    return issubclass(kind, QUIET) and not has_finalizer(kind)


def ends_noticed(values: Collection[Any]) -> bool:
    """Whether the program would notice the end of a value, or of an object inside a value."""
    waiting, left = [values], MOST
    while waiting:
        group = waiting.pop()
        if all(map(is_quiet, set(map(type, group)))):
            continue
        for value in group:
            left -= 1
            kind: Any = type(value)
            if has_finalizer(kind) or isinstance(value, SUSPENDED):
                return True
            if left > 0 and not is_quiet(kind):
                inner = value if isinstance(value, CONTAINERS) else getattr(value, "__dict__", ())
                waiting.append(inner.values() if isinstance(inner, dict) else inner)
    return False
