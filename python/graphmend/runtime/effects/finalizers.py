"""Objects whose end the program notices: a class with `__del__`, a weak reference with a callback.

Dynamo makes the objects of a call behind the graph, and those that nothing needs not at all. So their finalizers and
callbacks would run late, or never, beside effects that are deferred. An object that was there before may end where the
call puts another in its place: what a call replaces is looked at when the graph has run, and the call runs again in
eager Python where something in it has a finalizer.
"""

from __future__ import annotations

import functools
import random
import types
import weakref
from typing import Any, Collection

import torch

from ..base import hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GUARD, "the end of objects")

MOST = 1000  # objects that are looked at in what a call replaces
CONTAINERS = (list, tuple, set, frozenset, dict)
SUSPENDED = (types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType)  # their `finally` runs at their end
QUIET = (
    *(type(None), int, float, complex, str, bytes, type, torch.Tensor, torch.nn.Module, torch.dtype, torch.device),
    *(types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType, torch.Generator),
)


class Ending(Exception):
    """Raised where a call would end an object whose end the program notices, before anything is changed."""


@FEATURE.hook("class.call")
def watch_callback(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Refuse a whole graph that makes a weak reference with a callback, or an object with a finalizer.

    Dynamo makes an example of the object while it traces, and Python finalizes the example, too.
    """
    if trace.whole and self.value is weakref.ref and len(args) > 1:
        raise trace_state.SiteRefused("the function is told of the end of an object")
    if trace.whole and has_finalizer(self.value):
        refuse(self.value)
    return call(self, tx, args, kwargs)


def has_finalizer(kind: type) -> bool:
    """Whether a class has a `__del__` that is written in Python."""
    return isinstance(getattr(kind, "__del__", None), types.FunctionType)


def refuse(kind: type) -> None:
    """Refuse the whole graph for the objects of a class."""
    raise trace_state.SiteRefused(f"the call makes an object with a finalizer ({kind.__name__})")


def refuse_finalized(output: Any) -> None:
    """Refuse a graph whose call has come by a new object with a finalizer in another way, such as `copy.copy`."""
    from ..base.torch_names import AttributeMutationExisting

    effects = output.side_effects
    for value in effects.keepalive:
        variable = effects.id_to_variable.get(id(value))
        known = variable is not None and isinstance(variable.mutation_type, AttributeMutationExisting)
        if has_finalizer(type(value)) and not known:
            refuse(type(value))


def replaced(target: Any, names: Any) -> Any:
    """What an object holds under the names of attributes, or, where they are None, in it."""
    if names is None:
        if isinstance(target, random.Random):
            return ()
        return target.values() if isinstance(target, dict) else target
    if isinstance(target, types.CellType):
        try:
            return (target.cell_contents,)
        except ValueError:  # empty
            return ()
    own = target if type(target) is dict else getattr(target, "__dict__", {})
    return [own[name] for name in names if name in own]


@functools.lru_cache(maxsize=1024)
def is_quiet(kind: type) -> bool:
    """Whether the end of objects of a type is nothing to anybody, and they hold nothing that may end with them."""
    return issubclass(kind, QUIET) and not has_finalizer(kind)


def ends_noticed(values: Collection[Any]) -> bool:
    """Whether there is an object among some, or in them, whose end the program notices."""
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
                own = value if isinstance(value, CONTAINERS) else getattr(value, "__dict__", ())
                waiting.append(own.values() if isinstance(own, dict) else own)
    return False
