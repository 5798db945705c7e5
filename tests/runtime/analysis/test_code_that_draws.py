"""Code of torch that names a drawing operator: itself, and through functions up to three calls away."""

from __future__ import annotations

import operator
import types
from typing import Any

import pytest
import torch

from graphmend.runtime.analysis import node_facts
from graphmend.runtime.analysis.drawing_names import drawing_names, is_drawing, uses

OPERATORS = {
    **dict.fromkeys(["rand", "randn", "bernoulli", "normal", "uniform_", "multinomial", "native_dropout"], True),
    **dict.fromkeys(["add", "mm", "zeros", "gone", "__class__", "name", "uniform_distribution"], False),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name: str) -> None:
    assert is_drawing(name) is OPERATORS[name]


def chain(length: int) -> types.FunctionType:
    """A function that comes to a drawing one by so many calls."""
    space: dict[str, Any] = {}
    exec("def f0(x):\n    return x.drawn()\n", space)
    for number in range(1, length + 1):
        exec(f"def f{number}(x):\n    return f{number - 1}(x)\n", space)
    found: types.FunctionType = space[f"f{length}"]
    return found


@pytest.mark.parametrize("depth", range(5))
@pytest.mark.parametrize("length", range(5))
def test_how_far_away(length: int, depth: int) -> None:
    assert uses(chain(length), {"drawn", "other"}, depth) is (length <= depth)
    assert not uses(chain(length), {"other"}, depth)


def test_what_is_called_is_a_function() -> None:
    """A class or an object that is named is not looked at."""
    space: dict[str, Any] = {"drawing": chain(0)}
    exec("class Own:\n    f = drawing\nown = Own()\ndef f(x):\n    return Own(x), own, missing\n", space)
    assert not uses(space["f"], {"drawn"}, 3)


def test_names_of_functions_that_draw() -> None:
    names = drawing_names()
    assert {"dropout", "alpha_dropout", "kaiming_normal_", "orthogonal_", "gumbel_softmax"} <= names
    assert names.isdisjoint({"__class__", "shape", "zeros_", "constant_", "cross_entropy", "conv2d", "abs"})


GENERATORS: list[tuple[Any, bool]] = [
    *((torch.random.manual_seed, True), (torch.random.seed, True), (torch.cuda.manual_seed, True)),
    *((torch.cuda.synchronize, True), (torch.get_default_dtype, False), (operator.add, False), (print, False)),
    *((torch.is_grad_enabled, False), ("gone", False), (torch.set_default_dtype, False)),
]


def test_functions_without_tensors() -> None:
    """What stands beside `manual_seed` may set or read a generator, and torch itself does not count."""
    assert [node_facts.is_of_generators(function) for function, _ in GENERATORS] == [drawn for _, drawn in GENERATORS]
    graph = torch.fx.Graph()
    nodes = [graph.call_function(function, (1,)) for function in (torch.random.manual_seed, operator.add)]
    assert [node_facts.draws(node) for node in nodes] == [True, False]
