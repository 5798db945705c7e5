"""Random generators made by the call from a constant seed.

    rng = np.random.default_rng(7)      # the same numbers in every call
    noise = rng.normal(size=4)          # a constant of the graph

Such a generator draws equal numbers in every call, so the trace draws them, and the graph has them as constants. A seed
that is an argument of the call gives a graph for each of a few values. Dynamo handles a generator that leaves the call
or has another use.
"""

from __future__ import annotations

import functools
import random
import sys
import types
from typing import Any, Optional, Protocol

import torch

from ..analysis import impure_functions
from ..base import hooks, trace_state
from ..capture.identity_guard import decided_by_data
from . import external_calls, torch_generators
from .numpy_random_functions import is_constant

FEATURE = hooks.Feature(__name__, hooks.GAIN, "generators that a call makes from a seed")

DRAWS = frozenset(name for name, fact in impure_functions.OF_NUMPY.items() if fact.kind == impure_functions.DRAW) | {
    "choice"
}
DRAWS_OF_RANDOM = {name for name, fact in impure_functions.OF_RANDOM.items() if fact.kind == impure_functions.DRAW}
ORDERS = frozenset(name for name, fact in impure_functions.OF_RANDOM.items() if fact.kind == impure_functions.ORDER)
TENSORS = frozenset([torch.rand, torch.randn, torch.randint, torch.randperm])
LARGEST = 4096  # numbers at once
MOST_SEEDS = 4  # seeds that become constants, for each function
SEEDS: dict[types.CodeType, set[int]] = {}


@FEATURE.hook("torch_function.call")
def draw_tensor(call_torch: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Draw a tensor from a generator of the call, or from a generator of the program.

    Torch has no form for open sizes with an argument `generator`, so None is left out.
    """
    tensor = None
    generator = kwargs.get("generator")
    if generator is not None and generator.is_python_constant() and generator.as_python_constant() is None:
        return call_torch(self, tx, args, {name: value for name, value in kwargs.items() if name != "generator"})
    if self.value in TENSORS and "generator" in kwargs:
        tensor = draw_seeded_tensor(self.value, tx, args, kwargs)
        tensor = tensor or torch_generators.draw_in_prologue(trace, self.value, tx, args, kwargs)
    return hooks.DECLINED if tensor is None else tensor


@FEATURE.hook("numpy.call", "class.call", "random_class.call", "opaque_class.call", needed=False)
def make_generator(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Make a generator during the trace where its class is called."""
    from ..base.torch_names import RandomClassVariable

    function = random.Random if isinstance(self, RandomClassVariable) else self.value
    generator = make_seeded(trace, function, self, tx, args, kwargs) if is_maker(function) else None
    return hooks.DECLINED if generator is None else generator


def is_maker(function: Any) -> bool:
    """Whether a function makes a generator from a seed."""
    if function is random.Random or function is torch.Generator:
        return True
    numpy = sys.modules.get("numpy")
    return numpy is not None and (function is numpy.random.default_rng or function is numpy.random.RandomState)


def make_seeded(
    trace: trace_state.Trace, function: Any, variable: Any, tx: Any, args: Any, kwargs: Any
) -> Optional[Any]:
    """Dynamo's variable for a new generator; None without a constant seed."""
    if function is torch.Generator:
        return make_torch_generator(trace, variable, args, kwargs)
    seeds = [*args, *kwargs.values()]
    if len(seeds) != 1 or not kwargs.keys() <= {"seed"}:
        return None
    seed = seed_of(tx, seeds[0])
    if seed is None or seed < 0:
        return None
    external_calls.guard(variable, function)
    return seeded_class()(function(seed), trace)


def make_torch_generator(trace: trace_state.Trace, variable: Any, args: Any, kwargs: Any) -> Optional[Any]:
    """Dynamo's variable for a new `torch.Generator`, with its default seed; None for devices other than the CPU."""
    devices = [*args, *kwargs.values()]
    if len(devices) > 1 or not kwargs.keys() <= {"device"} or not all(item.is_python_constant() for item in devices):
        return None
    if any(torch.device(item.as_python_constant()) != torch.device("cpu") for item in devices):
        return None
    external_calls.guard(variable, torch.Generator)
    return seeded_class()(torch.Generator(), trace)


class SeededVariable(Protocol):
    """Dynamo's variable for a generator made by the call."""

    generator: Any
    trace: trace_state.Trace

    def __init__(self, generator: Any, trace: trace_state.Trace) -> None: ...


@functools.lru_cache(maxsize=None)
def seeded_class() -> type[SeededVariable]:
    """Dynamo's class of variables for seeded generators; imported late, because Dynamo may not be loaded yet."""
    from ..base.torch_names import VariableTracker

    class Seeded(VariableTracker):  # type: ignore[misc]  # a class of Dynamo, unknown to mypy
        """The variable for a generator made by the call."""

        _nonvar_fields = {"generator", "trace", *VariableTracker._nonvar_fields}

        def __init__(self, generator: Any, trace: trace_state.Trace, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.generator = generator
            self.trace = trace

        def python_type(self) -> type:
            return type(self.generator)

        def var_getattr(self, tx: Any, name: str) -> Any:
            is_device = name == "device" and type(self.generator) is torch.Generator
            return VariableTracker.build(tx, self.generator.device) if is_device else super().var_getattr(tx, name)

        def call_method(self, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
            return draw_numbers(self, tx, name, args, kwargs)

        def reconstruct(self, codegen: Any) -> None:
            raise trace_state.SiteRefused("a random generator that the call has made leaves it")

    return Seeded


def draw_numbers(variable: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Dynamo's variable for the result of a generator's method."""
    generator = variable.generator
    if type(generator) is torch.Generator and name == "manual_seed" and len(args) == 1 and not kwargs:
        seed = seed_of(tx, args[0])
        if seed is None:
            raise trace_state.SiteRefused("a random generator is seeded with what only the graph knows")
        generator.manual_seed(seed)
        return variable
    allowed_methods = DRAWS_OF_RANDOM if type(generator) is random.Random else DRAWS
    refuse_inside(variable.trace, tx)
    if type(generator) is random.Random and name in ORDERS and args:
        return pick_items(generator, tx, name, args, kwargs)
    args, kwargs = [settled_number(item) for item in args], {key: settled_number(item) for key, item in kwargs.items()}
    values = [*args, *kwargs.values()]
    are_constant = all(item.is_python_constant() and is_constant(item.as_python_constant()) for item in values)
    if name not in allowed_methods or not are_constant:
        raise trace_state.SiteRefused(
            "a random generator that the call has made is asked for what only the graph knows"
        )
    return constant(tx, draw_now(getattr(generator, name), args, kwargs))


def refuse_inside(trace: trace_state.Trace, tx: Any) -> None:
    """Refuse a draw on a conditional side or inside an operator."""
    if trace.open or tx.output.current_tracer.parent is not None:
        raise trace_state.SiteRefused("a random generator that the call has made draws inside of a side")


def draw_now(draw: Any, args: Any, kwargs: Any, **others: Any) -> Any:
    """The result of a draw, made now."""
    options = {key: item.as_python_constant() for key, item in kwargs.items()}
    try:
        return draw(*(item.as_python_constant() for item in args), **options, **others)
    except Exception as error:
        raise trace_state.SiteRefused(f"a random generator raises {type(error).__name__}") from None


def seed_of(tx: Any, item: Any) -> Optional[int]:
    """The integer behind Dynamo's variable for a seed; None for a number that data decide, and for another object.

    An argument or attribute that differs between calls is a symbol of Dynamo. The symbol becomes a constant of the
    graph for the first seeds of a process; a seed that counts calls would need a graph for each call.
    """
    from ..base.torch_names import SymNodeVariable

    item = item.realize()
    if item.is_python_constant():
        value = item.as_python_constant()
        return value if type(value) is int else None
    if not isinstance(item, SymNodeVariable) or item.python_type() is not int or decided_by_data(item):
        return None
    seeds = SEEDS.setdefault(tx.f_code, set())
    value = int(item.sym_num.node.hint)
    if value not in seeds and len(seeds) >= MOST_SEEDS:
        return None
    seeds.add(value)
    return int(item.evaluate_expr())


def pick_items(generator: random.Random, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Dynamo's variable for items picked from a sequence; `shuffle` changes the sequence."""
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
    picked = draw_now(functools.partial(getattr(generator, name), places), rest, kwargs)
    if name == "choice":
        return items[picked]
    if name != "shuffle":
        return ListVariable([items[place] for place in picked], mutation_type=ValueMutationNew())
    tx.output.side_effects.mutation(sequence)
    sequence.items[:] = [items[place] for place in places]
    return ConstantVariable.create(None)


def draw_seeded_tensor(function: Any, tx: Any, args: Any, kwargs: Any) -> Optional[Any]:
    """Dynamo's variable for a drawn tensor; None for a generator from outside the call."""
    from ..base.torch_names import _disable_current_modes, wrap_fx_proxy

    options = {key: item.realize() for key, item in kwargs.items()}
    source = options.pop("generator")
    if not isinstance(source, seeded_class()) or type(source.generator) is not torch.Generator:
        return None
    refuse_inside(source.trace, tx)
    if not options.keys() <= torch_generators.OPTIONS:
        raise trace_state.SiteRefused("a random generator is asked for a tensor of another kind")
    args, options = [settled(item) for item in args], {name: settled(item) for name, item in options.items()}
    with _disable_current_modes():
        tensor = draw_now(function, args, options, generator=source.generator)
        if tensor.numel() > LARGEST or tensor.device.type != "cpu":
            raise trace_state.SiteRefused("a random generator gives too many numbers")
        numbers = tensor.tolist()
    proxy = tx.output.create_proxy("call_function", torch.tensor, (numbers,), {"dtype": tensor.dtype})
    return wrap_fx_proxy(tx, proxy).call_method(tx, "reshape", [constant_shape(tx, tensor)], {})


def settled_number(item: Any) -> Any:
    """Dynamo's variable for an argument of a draw; a number of an input becomes a constant of the graph."""
    from ..base.torch_names import SymNodeVariable

    item = item.realize()
    return settled(item) if isinstance(item, SymNodeVariable) else item


def settled(item: Any) -> Any:
    """Dynamo's variable for a constant argument; a size of an input becomes a constant of the graph."""
    from ..base.torch_names import BaseListVariable, ConstantVariable, SymNodeVariable, TupleVariable

    item = item.realize()
    if item.is_python_constant():
        return item
    if isinstance(item, BaseListVariable):
        return TupleVariable([settled(part) for part in item.items])
    if not isinstance(item, SymNodeVariable) or decided_by_data(item):
        raise trace_state.SiteRefused("a random generator is asked for what only the graph knows")
    return ConstantVariable.create(item.evaluate_expr())


def constant_shape(tx: Any, tensor: torch.Tensor) -> Any:
    """Dynamo's variable for the shape of a tensor; nested lists do not tell the shape of an empty tensor."""
    from ..base.torch_names import VariableTracker

    return VariableTracker.build(tx, tuple(tensor.shape))


def constant(tx: Any, value: Any) -> Any:
    """Dynamo's variable for numbers, as constants of the graph."""
    from ..base.torch_names import ConstantVariable, wrap_fx_proxy

    if type(value) in (int, float):
        return ConstantVariable.create(value)
    if type(value).__name__ != "ndarray" or value.dtype.kind not in "if" or not 0 < value.size <= LARGEST:
        raise trace_state.SiteRefused("a random generator gives something else than some numbers")
    options = {"dtype": torch.from_numpy(value).dtype, "device": torch.device("cpu")}
    proxy = tx.output.create_proxy("call_function", torch.tensor, (value.tolist(),), options)
    return wrap_fx_proxy(tx, proxy).call_method(tx, "numpy", [], {})
