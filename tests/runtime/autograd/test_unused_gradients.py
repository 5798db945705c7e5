"""Gradients where nothing leads to: None as in eager Python, though one backward graph serves all results."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

BACKENDS = ["eager", "aot_eager", "inductor"]

TWO_RESULTS = """
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)
            self.last = None

        def forward(self, x, w):
            if x.sum() > 0:
                x = x * 2
            self.last = self.second(w) * self.first.bias
            return self.first(x)

    make = Model
    """

HANDED_ON = """
    def f(x, w):
        y = x.exp()
        print("sum", y.sum())
        z = y.detach() * w
        return y, z
    """

WRITTEN = """
    def f(x, w):
        y, z = x * 1, x * 3
        if x.sum() > 0:
            y.add_(w)
        else:
            y.mul_(w)
        return y, z
    """


def program(text: str, folder: Any) -> Any:
    """Makes the program anew."""
    return load(folder, "import torch\n" + "\n".join(line[4:] for line in text.splitlines()))


def inputs(scale: float = 1.0) -> tuple:
    return tuple(torch.full((2, 3), value * scale, requires_grad=True) for value in (0.5, 2.0))


def gradients(function: Any, model: Any, chosen: list[int], args: tuple) -> list:
    """The gradients of everything after going back from some of the results."""
    results = function(*args)
    results = list(results) if isinstance(results, tuple) else [results, model.last]
    sum(results[i].sum() for i in chosen).backward()
    parameters = list(model.parameters()) if isinstance(model, torch.nn.Module) else []
    return [None if leaf.grad is None else leaf.grad.clone() for leaf in [*args, *parameters]]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("text", [TWO_RESULTS, HANDED_ON, WRITTEN], ids=["two results", "handed on", "written"])
def test_what_is_not_differentiated_gives_nothing(tmp_path: Any, text: str, backend: str) -> None:
    make = program(text, tmp_path)
    for chosen in ([0], [1], [0, 1]):
        torch._dynamo.reset()
        torch.manual_seed(0)
        model = make()
        torch.manual_seed(0)
        other = make()
        function = torch.compile(other, backend=backend)
        for scale in (1.0, -1.0, 1.0):
            if isinstance(model, torch.nn.Module):
                model.zero_grad()
                other.zero_grad()
            expected = gradients(model, model, chosen, inputs(scale))
            found = gradients(function, other, chosen, inputs(scale))
            assert [item is None for item in found] == [item is None for item in expected], chosen
            for left, right in zip(expected, found):
                torch.testing.assert_close(left, right)


@pytest.mark.parametrize("backend", BACKENDS)
def test_inputs_that_are_part_of_a_gradient_computation(tmp_path: Any, backend: str) -> None:
    make = program(HANDED_ON, tmp_path)
    function = torch.compile(make(), backend=backend)
    for call in (make(), function):
        leaf, other = inputs()
        call(leaf * 1, other * 1)[0].sum().backward()
        assert leaf.grad is not None and other.grad is None


def test_both_results(tmp_path: Any) -> None:
    assert compare(program(HANDED_ON, tmp_path), [inputs], True, "aot_eager").graphs == 1
