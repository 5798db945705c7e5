"""Numbers of Python's `random` that Dynamo draws itself (`uniform`, `randint`, `randrange`), where Python computes.

To Dynamo each of them is a tensor that becomes a number again when the call returns it. It gives up where the program
computes with such a number and a constant; where the other number is one of the graph, the result is a tensor to it.
"""

from __future__ import annotations

import random
from typing import Any

from ..analysis.impure_functions import DRAW, Fact
from ..base import hooks, trace_state
from .external_calls import graph_input, keep
from .prologue import Reading, notes

FEATURE = hooks.Feature(__name__, hooks.GAIN, "numbers of `random` that Dynamo draws")


@FEATURE.hook("builtin.call")
def compute_with_draws(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Compute with a drawn number as with any number of the graph."""
    from ..base.torch_names import UnspecializedPythonVariable

    for arg in args:  # nothing is looked at that the trace may do without
        if isinstance(arg, UnspecializedPythonVariable) and is_drawn(arg):
            break
    else:
        return call(self, tx, args, kwargs)
    values = [arg.realize() for arg in args]
    if any(value.is_tensor() and not is_drawn(value) for value in values):
        return call(self, tx, args, kwargs)
    return call(self, tx, [number(tx, value) if is_drawn(value) else value for value in values], kwargs)


@FEATURE.hook("random.call")
def draw_uniform(draw: Any, trace: trace_state.Trace, tx: Any, function: Any, args: Any, kwargs: Any) -> Any:
    """Draw `random.uniform` in double precision."""
    if function != random.uniform or trace.open:
        return draw(tx, function, args, kwargs)
    constants = [arg.as_python_constant() for arg in args]
    return number(tx, double(function, constants, {name: kwargs[name].as_python_constant() for name in kwargs}))


def is_drawn(value: Any) -> bool:
    """Whether Dynamo's variable is a number that it has drawn."""
    from ..base.torch_names import RandomValueSource, UnspecializedPythonVariable

    if not isinstance(value, UnspecializedPythonVariable):
        return False
    given = value.as_proxy().node.meta.get("grapharg")
    return given is not None and isinstance(given.source, RandomValueSource)


def number(tx: Any, value: Any) -> Any:
    """Dynamo's variable of the number in a tensor."""
    return value.call_method(tx, "item", [], {})


def double(function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Dynamo's variable of a drawn number in double precision, which Dynamo's own input of the graph does not have."""
    found = notes()
    keep(found, Fact(DRAW), function, "")
    reading = Reading(function, args, kwargs, "", None)
    reading.like = reading.tensor(function(*args, **kwargs))
    return graph_input(reading, reading.like, False)
