"""Numbers of Python's `random` that Dynamo draws itself (`uniform`, `randint`, `randrange`), where Python computes.

To Dynamo each of them is a tensor that becomes a number again when the call returns it. It gives up where the program
computes with such a number and a constant; where the other number is one of the graph, the result is a tensor to it.
"""

from __future__ import annotations

import random
from typing import Any, Iterator

from . import state
from .outside_calls import graph_input, keep, notes
from .prologue import Reading
from .readings import DRAW, Fact


@state.in_whole_calls
def draws_as_numbers(trace: state.Trace) -> Iterator[None]:
    """Have a trace of a whole call inside the block compute with such numbers as with any number of the graph."""
    from torch._dynamo.variables import BuiltinVariable, UnspecializedPythonVariable, user_defined

    call, draw = BuiltinVariable.call_function, user_defined.call_random_fn

    def calling(self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
        for arg in args:  # nothing is looked at that the trace may do without
            if isinstance(arg, UnspecializedPythonVariable) and is_drawn(arg):
                break
        else:
            return call(self, tx, args, kwargs)
        values = [arg.realize() for arg in args]
        if any(value.is_tensor() and not is_drawn(value) for value in values):
            return call(self, tx, args, kwargs)
        return call(self, tx, [number(tx, value) if is_drawn(value) else value for value in values], kwargs)

    def drawing(tx: Any, function: Any, args: Any, kwargs: Any) -> Any:
        if function != random.uniform or trace.open:
            return draw(tx, function, args, kwargs)
        constants = [arg.as_python_constant() for arg in args]
        return number(tx, double(function, constants, {name: kwargs[name].as_python_constant() for name in kwargs}))

    with state.replaced((BuiltinVariable, "call_function", calling), (user_defined, "call_random_fn", drawing)):
        yield


def is_drawn(value: Any) -> bool:
    """Whether Dynamo's variable is a number that it has drawn."""
    from torch._dynamo.source import RandomValueSource
    from torch._dynamo.variables import UnspecializedPythonVariable

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
