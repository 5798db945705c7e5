"""Which calls come from outside of the program, from which generator they draw, and how its state is kept."""

from __future__ import annotations

import base64
import datetime
import functools
import hashlib
import json
import os
import pathlib
import random
import textwrap
import threading
import time
from typing import Any, Callable

import numpy
import pytest
import torch

from graphmend.runtime.analysis import impure_functions
from graphmend.runtime.analysis.impure_functions import (
    Fact,
    fact_of,
    generator_of,
    is_numpy,
    is_numpy_seed,
    is_original_method,
    part_of,
    save_generator,
)

OWN, OWN_NUMPY = random.Random(3), numpy.random.default_rng(3)
OLD_NUMPY, OF_TORCH = numpy.random.RandomState(3), torch.Generator()


class Derived(random.Random): ...


def bound(generator: Any) -> Callable[..., Any]:
    return functools.partial(torch.rand, generator=generator)


FACTS: dict[str, tuple[Any, Fact | None]] = {
    "a clock": (time.time, Fact("clock")),
    "a clock in whole numbers": (time.perf_counter_ns, Fact("clock")),
    "the day": (datetime.date.today, Fact("reading", impure_functions.DATES)),
    "the moment": (datetime.datetime.now, Fact("reading", impure_functions.DATES[:-1])),
    "a path": (pathlib.Path, Fact("reading", impure_functions.CHECKS)),
    "a question to the files": (os.path.exists, Fact("reading")),
    "the processes": (os.getpid, Fact("reading")),
    "the thread": (
        threading.current_thread,
        Fact("reading", ("name", "ident", "native_id", "is_alive()")),
    ),
    "a digest": (hashlib.sha256, Fact("pure", ("hexdigest()", "digest()"))),
    "a digest by name": (hashlib.new, Fact("pure", ("hexdigest()", "digest()"))),
    "text": (json.dumps, Fact("pure")),
    "bytes": (base64.b64encode, Fact("pure")),
    "lines": (textwrap.wrap, Fact("pure")),
    "what Dynamo takes itself": (random.uniform, None),
    "what Dynamo takes itself, of whole numbers": (random.randint, None),
    "a range": (random.randrange, None),
    "a draw": (random.random, Fact("draw")),
    "positions": (random.shuffle, Fact("order")),
    "a seed": (random.seed, Fact("seed")),
    "a state": (random.getstate, None),
    "a draw of a generator": (OWN.uniform, Fact("draw")),
    "whole numbers of a generator": (OWN.randint, Fact("draw")),
    "a choice of a generator": (OWN.choice, Fact("order")),
    "a derived generator": (Derived(3).random, None),
    "a draw of NumPy": (numpy.random.rand, Fact("draw")),
    "a seed of NumPy": (numpy.random.seed, Fact("seed")),
    "positions of NumPy": (numpy.random.shuffle, Fact("order")),
    "whole numbers of NumPy": (OWN_NUMPY.integers, Fact("draw")),
    "an old generator of NumPy": (OLD_NUMPY.normal, Fact("draw")),
    "children of NumPy": (OWN_NUMPY.spawn, None) if hasattr(OWN_NUMPY, "spawn") else (OLD_NUMPY.get_state, None),
    "a seed of torch": (torch.manual_seed, Fact("seed")),
    "a seed of torch, by its module": (torch.random.manual_seed, Fact("seed")),
    "a function of torch": (torch.relu, None),
    "a function of Python": (sorted, None),
    "what has no hash": ([], None),
    "nothing": (None, None),
}


@pytest.mark.parametrize("name", FACTS)
def test_facts(name: str) -> None:
    function, fact = FACTS[name]
    assert fact_of(function) == fact


GENERATORS: dict[str, tuple[Any, Any, bool]] = {
    "the shared one": (random.random, impure_functions.SHARED, False),
    "an own one": (OWN.random, OWN, False),
    "a derived one": (Derived(3).random, None, False),
    "NumPy's shared one": (numpy.random.rand, numpy.random.mtrand._rand, True),
    "NumPy's seed": (numpy.random.seed, numpy.random.mtrand._rand, True),
    "NumPy's new one": (OWN_NUMPY.random, OWN_NUMPY, True),
    "NumPy's old one": (OLD_NUMPY.rand, OLD_NUMPY, True),
    "torch's": (bound(OF_TORCH), OF_TORCH, False),
    "torch's default": (bound(None), None, False),
    "a partial function": (functools.partial(max, 1), None, False),
    "none": (time.time, None, False),
    "a method": ([].append, None, False),
}


@pytest.mark.parametrize("name", GENERATORS)
def test_generators(name: str) -> None:
    function, generator, of_numpy = GENERATORS[name]
    assert generator_of(function) is generator and is_numpy(generator) is of_numpy
    assert is_numpy_seed(function) is (function is numpy.random.seed)


def test_methods_that_a_program_has_replaced() -> None:
    own = random.Random(3)
    own.random = lambda: 0.5  # type: ignore[method-assign]
    own.__dict__["uniform"] = random.Random.uniform.__get__(own)
    assert not is_original_method(own.__dict__["uniform"]) and is_original_method(own.gauss)
    assert is_original_method(random.random) and is_original_method(numpy.random.seed) and is_original_method(time.time)
    assert is_original_method(bound(OF_TORCH)) and is_original_method(OWN_NUMPY.random)


DRAWS: dict[str, tuple[Any, Callable[[], Any]]] = {
    "the shared one": (random.random, random.random),
    "an own one": (OWN.uniform, lambda: OWN.uniform(0, 1)),
    "an own one's seed": (OWN.seed, OWN.random),
    "NumPy's shared one": (numpy.random.rand, lambda: float(numpy.random.rand())),
    "NumPy's seed": (numpy.random.seed, lambda: float(numpy.random.rand())),
    "NumPy's new one": (OWN_NUMPY.random, lambda: float(OWN_NUMPY.random())),
    "NumPy's old one": (OLD_NUMPY.normal, lambda: float(OLD_NUMPY.normal())),
    "torch's seed": (torch.manual_seed, lambda: float(torch.rand(()))),
    "torch's default": (bound(None), lambda: float(torch.rand(()))),
    "torch's own": (bound(OF_TORCH), lambda: float(torch.rand((), generator=OF_TORCH))),
}


@pytest.mark.parametrize("name", DRAWS)
def test_states_are_kept(name: str) -> None:
    """What is drawn once more behind `restore` is what was drawn before; other generators go on."""
    function, draw = DRAWS[name]
    others = [
        other for other, (_, of_other) in DRAWS.items() if generator_of(DRAWS[other][0]) is not generator_of(function)
    ]
    restore = save_generator(function)
    first = [draw() for _ in range(3)]
    rest = [DRAWS[other][1]() for other in others[:1]]
    restore()
    assert [draw() for _ in range(3)] == first
    assert [DRAWS[other][1]() for other in others[:1]] != rest
    restore()
    assert draw() == first[0]


def test_parts_of_results() -> None:
    day = datetime.date(2024, 2, 29)
    assert part_of(day, "") is day and part_of(day, "year") == 2024
    assert part_of(day, "isoformat()") == "2024-02-29" and callable(part_of(day, "isoformat"))


def test_plain_arguments() -> None:
    """Constants of a trace, in their order and by name; None where one is not plain."""
    from torch._dynamo.variables import ConstantVariable

    def constants(*values: Any) -> list[Any]:
        return [ConstantVariable.create(value) for value in values]

    given = impure_functions.plain_arguments(constants(1, "a"), {"k": constants(2.5)[0]})
    assert given == ([1, "a"], {"k": 2.5})
    assert impure_functions.plain_arguments([], {}) == ([], {})
    assert impure_functions.plain_arguments(constants(1, 2j), {}) is None
    assert impure_functions.plain_arguments(constants(1), {"k": constants(2j)[0]}) is None


def test_every_known_function_is_there() -> None:
    """A fact is found by the function itself, and each clock has a sister that counts in whole numbers."""
    table = impure_functions.facts_of_functions()
    assert all(fact_of(function) == fact for function, fact in table.items())
    for name in ("time", "perf_counter", "monotonic", "process_time", "thread_time"):
        assert table[getattr(time, name)] == table[getattr(time, name + "_ns")] == Fact("clock")
    clocks = {function.__name__.removesuffix("_ns") for function, fact in table.items() if fact.kind == "clock"}
    assert clocks == {"time", "perf_counter", "monotonic", "process_time", "thread_time"}
    assert {fact.kind for fact in table.values()} == {"pure", "reading", "clock"}
    with_parts = {function for function, fact in table.items() if fact.parts != ("",)}
    assert {hashlib.md5, hashlib.blake2b, pathlib.Path} <= with_parts and json.loads not in with_parts
