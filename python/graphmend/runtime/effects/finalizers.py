"""Objects whose end the program notices: a class with `__del__`, a weak reference with a callback.

Dynamo makes the objects of a call behind the graph, and those that nothing needs not at all. So their finalizers and
callbacks would run late, or never, beside effects that are deferred.
"""

from __future__ import annotations

import types
import weakref
from typing import Any

from ..base import hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GUARD, "the end of objects")


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
