"""NumPy's random generators that a call makes for itself from a seed that the trace knows.

Such a generator draws the same numbers in every call, so they are drawn while the call is traced, and are constants of
the graph. A generator that leaves the call, or is asked for something else, is left to Dynamo.
"""

from __future__ import annotations

import functools
import sys
from typing import Any, Iterator, Optional

import torch

from . import outside_calls, readings, state
from .hosts import is_constant

DRAWS = frozenset(name for name, fact in readings.OF_NUMPY.items() if fact.kind == readings.DRAW) | {"choice"}
LARGEST = 4096  # numbers at once


@state.in_whole_calls
def seeded_drawn(trace: state.Trace) -> Iterator[None]:
    """Let a trace of a whole call inside the block draw from such generators."""
    from torch._dynamo.variables import UserDefinedClassVariable
    from torch._dynamo.variables.misc import NumpyVariable

    def making(call: Any) -> Any:
        def calling(self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
            found = made(trace, self, args, kwargs) if is_maker(self.value) else None
            return call(self, tx, args, kwargs) if found is None else found

        return calling

    kinds = (NumpyVariable, UserDefinedClassVariable)
    with state.replaced(*((kind, "call_function", making(kind.call_function)) for kind in kinds)):
        yield


def is_maker(function: Any) -> bool:
    """Whether a function makes a generator from a seed."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and (function is numpy.random.default_rng or function is numpy.random.RandomState)


def made(trace: state.Trace, variable: Any, args: Any, kwargs: Any) -> Optional[Any]:
    """Dynamo's variable of a new generator; None if the trace does not know its seed."""
    seeds = [*args, *kwargs.values()]
    if len(seeds) != 1 or not kwargs.keys() <= {"seed"} or not seeds[0].is_python_constant():
        return None
    seed = seeds[0].as_python_constant()
    if type(seed) is not int or seed < 0:
        return None
    outside_calls.guard(variable, variable.value)
    return seeded_class()(variable.value(seed), trace)


@functools.lru_cache(maxsize=None)
def seeded_class() -> type:
    """The class of Dynamo's variables for such generators; made late because Dynamo is loaded late."""
    from torch._dynamo.variables import VariableTracker

    class Seeded(VariableTracker):
        """A generator that the call has made."""

        _nonvar_fields = {"generator", "trace", *VariableTracker._nonvar_fields}

        def __init__(self, generator: Any, trace: state.Trace, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.generator = generator
            self.trace = trace

        def python_type(self) -> type:
            return type(self.generator)

        def call_method(self, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
            return drawn(self, tx, name, args, kwargs)

        def reconstruct(self, codegen: Any) -> None:
            raise state.SiteRefused("a random generator that the call has made leaves it")

    return Seeded


def drawn(variable: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Dynamo's variable of what a generator draws."""
    values = [*args, *kwargs.values()]
    plain = all(item.is_python_constant() and is_constant(item.as_python_constant()) for item in values)
    if name not in DRAWS or not plain or variable.trace.open or tx.output.current_tracer.parent is not None:
        raise state.SiteRefused("a random generator that the call has made is asked for what only the graph knows")
    options = {key: item.as_python_constant() for key, item in kwargs.items()}
    try:
        found = getattr(variable.generator, name)(*(item.as_python_constant() for item in args), **options)
    except Exception as error:
        raise state.SiteRefused(f"a random generator raises {type(error).__name__}") from None
    return constant(tx, found)


def constant(tx: Any, found: Any) -> Any:
    """Dynamo's variable of numbers that are constants of the graph."""
    from torch._dynamo.variables import ConstantVariable
    from torch._dynamo.variables.builder import wrap_fx_proxy

    if type(found) in (int, float):
        return ConstantVariable.create(found)
    if type(found).__name__ != "ndarray" or found.dtype.kind not in "if" or not 0 < found.size <= LARGEST:
        raise state.SiteRefused("a random generator gives something else than some numbers")
    options = {"dtype": torch.from_numpy(found).dtype, "device": torch.device("cpu")}
    proxy = tx.output.create_proxy("call_function", torch.tensor, (found.tolist(),), options)
    return wrap_fx_proxy(tx, proxy).call_method(tx, "numpy", [], {})
