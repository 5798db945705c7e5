"""Random generators of NumPy, `random` and torch that a call makes for itself from a seed that the trace knows.

Such a generator draws the same numbers in every call, so they are drawn while the call is traced, and are constants of
the graph. A generator that leaves the call, or is asked for something else, is left to Dynamo.
"""

from __future__ import annotations

import functools
import random
import sys
from typing import Any, Optional

import torch

from ..analysis import impure_functions
from ..base import hooks, trace_state
from . import external_calls, torch_generators
from .numpy_random_functions import is_constant

FEATURE = hooks.Feature(__name__, hooks.GAIN, "generators that a call makes from a seed")

DRAWS = frozenset(name for name, fact in impure_functions.OF_NUMPY.items() if fact.kind == impure_functions.DRAW) | {
    "choice"
}
DRAWS_OF_RANDOM = {name for name, fact in impure_functions.OF_RANDOM.items() if fact.kind == impure_functions.DRAW}
DRAWS_OF_RANDOM |= {"randint", "randrange"}
ORDERS = frozenset(name for name, fact in impure_functions.OF_RANDOM.items() if fact.kind == impure_functions.ORDER)
TENSORS = frozenset([torch.rand, torch.randn, torch.randint, torch.randperm])
LARGEST = 4096  # numbers at once


@FEATURE.hook("torch_function.call")
def draw_tensor(call_torch: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Draw a tensor from such a generator, or from one of torch."""
    found = None
    if self.value in TENSORS and "generator" in kwargs:
        found = drawn_tensor(self.value, tx, args, kwargs)
        found = found or torch_generators.drawn(trace, self.value, tx, args, kwargs)
    return call_torch(self, tx, args, kwargs) if found is None else found


@FEATURE.hook("numpy.call", "class.call", "random_class.call", "opaque_class.call", needed=False)
def make_generator(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Make a generator where its class is called."""
    from ..base.torch_names import RandomClassVariable

    function = random.Random if isinstance(self, RandomClassVariable) else self.value
    found = made(trace, function, self, args, kwargs) if is_maker(function) else None
    return call(self, tx, args, kwargs) if found is None else found


def is_maker(function: Any) -> bool:
    """Whether a function makes a generator from a seed."""
    if function is random.Random or function is torch.Generator:
        return True
    numpy = sys.modules.get("numpy")
    return numpy is not None and (function is numpy.random.default_rng or function is numpy.random.RandomState)


def made(trace: trace_state.Trace, function: Any, variable: Any, args: Any, kwargs: Any) -> Optional[Any]:
    """Dynamo's variable of a new generator; None if the trace does not know its seed."""
    if function is torch.Generator:
        return made_for_tensors(trace, variable, args, kwargs)
    seeds = [*args, *kwargs.values()]
    if len(seeds) != 1 or not kwargs.keys() <= {"seed"} or not seeds[0].is_python_constant():
        return None
    seed = seeds[0].as_python_constant()
    if type(seed) is not int or seed < 0:
        return None
    external_calls.guard(variable, function)
    return seeded_class()(function(seed), trace)


def made_for_tensors(trace: trace_state.Trace, variable: Any, args: Any, kwargs: Any) -> Optional[Any]:
    """Dynamo's variable of a new generator of torch, which has a seed from the beginning; None for other devices."""
    devices = [*args, *kwargs.values()]
    if len(devices) > 1 or not kwargs.keys() <= {"device"} or not all(item.is_python_constant() for item in devices):
        return None
    if any(torch.device(item.as_python_constant()) != torch.device("cpu") for item in devices):
        return None
    external_calls.guard(variable, torch.Generator)
    return seeded_class()(torch.Generator(), trace)


@functools.lru_cache(maxsize=None)
def seeded_class() -> type:
    """The class of Dynamo's variables for such generators; made late because Dynamo is loaded late."""
    from ..base.torch_names import VariableTracker

    class Seeded(VariableTracker):
        """A generator that the call has made."""

        _nonvar_fields = {"generator", "trace", *VariableTracker._nonvar_fields}

        def __init__(self, generator: Any, trace: trace_state.Trace, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.generator = generator
            self.trace = trace

        def python_type(self) -> type:
            return type(self.generator)

        def call_method(self, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
            return drawn(self, tx, name, args, kwargs)

        def reconstruct(self, codegen: Any) -> None:
            raise trace_state.SiteRefused("a random generator that the call has made leaves it")

    return Seeded


def drawn(variable: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Dynamo's variable of what a generator draws."""
    generator = variable.generator
    if type(generator) is torch.Generator and name == "manual_seed" and len(args) == 1 and not kwargs:
        generator.manual_seed(number(args[0]))
        return variable
    allowed = DRAWS_OF_RANDOM if type(generator) is random.Random else DRAWS
    refuse_inside(variable.trace, tx)
    if type(generator) is random.Random and name in ORDERS and args:
        return ordered(generator, tx, name, args, kwargs)
    values = [*args, *kwargs.values()]
    plain = all(item.is_python_constant() and is_constant(item.as_python_constant()) for item in values)
    if name not in allowed or not plain:
        raise trace_state.SiteRefused(
            "a random generator that the call has made is asked for what only the graph knows"
        )
    return constant(tx, called(getattr(generator, name), args, kwargs))


def refuse_inside(trace: trace_state.Trace, tx: Any) -> None:
    """Refuse to draw where the program may not come by."""
    if trace.open or tx.output.current_tracer.parent is not None:
        raise trace_state.SiteRefused("a random generator that the call has made draws inside of a side")


def called(draw: Any, args: Any, kwargs: Any, **others: Any) -> Any:
    """What a method or function draws now."""
    options = {key: item.as_python_constant() for key, item in kwargs.items()}
    try:
        return draw(*(item.as_python_constant() for item in args), **options, **others)
    except Exception as error:
        raise trace_state.SiteRefused(f"a random generator raises {type(error).__name__}") from None


def number(item: Any) -> int:
    """The integer that Dynamo's variable is."""
    found = item.as_python_constant() if item.is_python_constant() else None
    if type(found) is not int:
        raise trace_state.SiteRefused("a random generator is seeded with what only the graph knows")
    return found


def ordered(generator: random.Random, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Dynamo's variable of what a generator of `random` picks from a sequence; `shuffle` changes the sequence."""
    from ..base.torch_names import ConstantVariable, ListVariable, ValueMutationNew

    sequence, *rest = [item.realize() for item in args]
    if sequence.python_type() not in ((list,) if name == "shuffle" else (list, tuple, range, str)):
        raise trace_state.SiteRefused("a random generator draws from what is no plain list")
    if not all(
        item.is_python_constant() and is_constant(item.as_python_constant()) for item in [*rest, *kwargs.values()]
    ):
        raise trace_state.SiteRefused("a random generator is asked for what only the graph knows")
    items = sequence.unpack_var_sequence(tx)
    places = list(range(len(items)))
    found = called(functools.partial(getattr(generator, name), places), rest, kwargs)
    if name == "choice":
        return items[found]
    if name != "shuffle":
        return ListVariable([items[place] for place in found], mutation_type=ValueMutationNew())
    tx.output.side_effects.mutation(sequence)
    sequence.items[:] = [items[place] for place in places]
    return ConstantVariable.create(None)


def drawn_tensor(function: Any, tx: Any, args: Any, kwargs: Any) -> Optional[Any]:
    """Dynamo's variable of a tensor of random numbers; None if its generator is not one that the call has made."""
    from ..base.torch_names import _disable_current_modes, wrap_fx_proxy

    options = {key: item.realize() for key, item in kwargs.items()}
    source = options.pop("generator")
    if not isinstance(source, seeded_class()) or type(source.generator) is not torch.Generator:
        return None
    refuse_inside(source.trace, tx)
    if not options.keys() <= torch_generators.OPTIONS:
        raise trace_state.SiteRefused("a random generator is asked for a tensor of another kind")
    if not all(item.is_python_constant() for item in [*args, *options.values()]):
        raise trace_state.SiteRefused("a random generator is asked for what only the graph knows")
    with _disable_current_modes():
        found = called(function, args, options, generator=source.generator)
        if found.numel() > LARGEST or found.device.type != "cpu":
            raise trace_state.SiteRefused("a random generator gives too many numbers")
        numbers = found.tolist()
    proxy = tx.output.create_proxy("call_function", torch.tensor, (numbers,), {"dtype": found.dtype})
    return wrap_fx_proxy(tx, proxy).call_method(tx, "reshape", [constant_shape(tx, found)], {})


def constant_shape(tx: Any, found: torch.Tensor) -> Any:
    """Dynamo's variable of the shape of a tensor; a list of numbers does not tell that of an empty one."""
    from ..base.torch_names import VariableTracker

    return VariableTracker.build(tx, tuple(found.shape))


def constant(tx: Any, found: Any) -> Any:
    """Dynamo's variable of numbers that are constants of the graph."""
    from ..base.torch_names import ConstantVariable, wrap_fx_proxy

    if type(found) in (int, float):
        return ConstantVariable.create(found)
    if type(found).__name__ != "ndarray" or found.dtype.kind not in "if" or not 0 < found.size <= LARGEST:
        raise trace_state.SiteRefused("a random generator gives something else than some numbers")
    options = {"dtype": torch.from_numpy(found).dtype, "device": torch.device("cpu")}
    proxy = tx.output.create_proxy("call_function", torch.tensor, (found.tolist(),), options)
    return wrap_fx_proxy(tx, proxy).call_method(tx, "numpy", [], {})
