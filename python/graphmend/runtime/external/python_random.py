"""Numbers that Dynamo itself draws from Python's `random`: `uniform`, `randint` and `randrange`.

    scale = random.uniform(0.5, 1.5)     # Dynamo's input: a single precision tensor
    return x * (1 - scale)               # Dynamo breaks at arithmetic of drawn number and constant

Dynamo turns each drawn number into a tensor, and back into a number when the call returns the number. Here a drawn
number becomes a symbolic number in double precision, and arithmetic follows the rules for numbers of the graph.
"""

from __future__ import annotations

import random
from typing import Any

from ..analysis.impure_functions import DRAW, Fact
from ..base import hooks, torch_names, trace_state
from .external_calls import graph_input, save_generator
from .prologue import Reading, notes

FEATURE = hooks.Feature(__name__, hooks.GAIN, "numbers of `random` that Dynamo draws")


@FEATURE.hook("builtin.call")
def compute_with_draws(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Compute with a drawn number as with other symbolic numbers."""
    for arg in args:  # `realize` adds guards, so only calls with a drawn number realize their arguments
        if isinstance(arg, torch_names.UnspecializedPythonVariable) and is_drawn(arg):
            break
    else:
        return hooks.DECLINED
    values = [arg.realize() for arg in args]
    if any(value.is_tensor() and not is_drawn(value) for value in values):
        return hooks.DECLINED
    return call(self, tx, [number(tx, value) if is_drawn(value) else value for value in values], kwargs)


@FEATURE.hook("random.call")
def draw_uniform(draw: Any, trace: trace_state.Trace, tx: Any, function: Any, args: Any, kwargs: Any) -> Any:
    """Draw `random.uniform` in double precision."""
    if function != random.uniform or trace.open:
        return hooks.DECLINED
    constants = [arg.as_python_constant() for arg in args]
    return number(tx, double(function, constants, {name: kwargs[name].as_python_constant() for name in kwargs}))


def is_drawn(value: Any) -> bool:
    """Whether Dynamo's variable is a number drawn by Dynamo."""
    from ..base.torch_names import RandomValueSource, UnspecializedPythonVariable

    if not isinstance(value, UnspecializedPythonVariable):
        return False
    argument = value.as_proxy().node.meta.get("grapharg")
    return argument is not None and isinstance(argument.source, RandomValueSource)


def number(tx: Any, value: Any) -> Any:
    """Dynamo's variable for the number in a tensor."""
    return value.call_method(tx, "item", [], {})


def double(function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Dynamo's variable for a drawn number in double precision, in place of Dynamo's single precision input."""
    graph_notes = notes()
    save_generator(graph_notes, Fact(DRAW), function, "")
    reading = Reading(function, args, kwargs, "", None)
    reading.like = reading.tensor(function(*args, **kwargs))
    return graph_input(reading, reading.like, False)
