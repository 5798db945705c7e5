"""Autograd functions whose backward pass computes the function again, and differentiates it."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

TEXT = """
import torch

class Again(torch.autograd.Function):
    @staticmethod
    def forward(ctx, function, x, *parameters):
        ctx.function = function
        ctx.save_for_backward(x, *parameters)
        {forward}
        with torch.no_grad():
            return function(x)

    @staticmethod
    def backward(ctx, gradient):
        x, *parameters = ctx.saved_tensors
        with torch.enable_grad():
            leaf = x.detach().requires_grad_()
            {again}
            gradients = torch.autograd.grad(result, (leaf, *parameters), gradient, allow_unused=True)
        {last}
        return None, *gradients

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.idle = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)

    def forward(self, x):
        return Again.apply(lambda v: torch.tanh(self.layer(v)), x * 2, *self.parameters()) * 3

def make():
    return Model()
"""
CALLS = [lambda: (torch.randn(2, 3),), lambda: (torch.randn(2, 3),), lambda: (torch.randn(4, 3),)]


def program(forward: str = "", again: str = "result = ctx.function(leaf)", last: str = "") -> str:
    """The text of a program."""
    return TEXT.format(forward=forward, again=again, last=last)


@pytest.mark.parametrize(
    "text",
    [
        program(),
        program(forward="if x.sum() > 0: x = x + 1"),
        program(again="result = ctx.function(ctx.function(leaf)).sin()"),
        program(
            again="result = ctx.function(leaf)",
            last="gradients = [g if g is None else g.clamp(-1, 1) for g in gradients]",
        ),
    ],
)
def test_a_backward_pass_may_differentiate(tmp_path: Any, text: str) -> None:
    outcome = compare(load(tmp_path, text), CALLS)
    assert outcome.report["callables"][0]["mode"] == "whole", outcome.report


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_a_hook_that_is_set_behind_the_call(tmp_path: Any, backend: str) -> None:
    """The hook of a parameter is called for the gradients inside the backward pass, too: not in a compiled one."""
    torch.manual_seed(0)
    x = torch.randn(2, 3)

    def seen(compiled: bool) -> list[float]:
        torch.manual_seed(1)
        model = load(tmp_path, program())()
        run = torch.compile(model, backend=backend) if compiled else model
        found: list[float] = []
        result = run(x)
        model.layer.weight.register_hook(lambda gradient: found.append(round(float(gradient.sum()), 4)))
        result.sum().backward()
        return found

    expected = seen(False)
    assert len(expected) == 2  # inside of the backward pass, and behind it
    assert seen(True) == expected


@pytest.mark.parametrize(
    "text",
    [
        program(again="with torch.no_grad(): leaf.mul_(2)\n            result = ctx.function(leaf)"),
        program(again="result = ctx.function(leaf)", last="gradients = (result, *gradients[1:])"),
    ],
)
def test_results_with_a_history_and_written_leaves_stay_python(tmp_path: Any, text: str) -> None:
    outcome = compare(load(tmp_path, text), CALLS)
    assert outcome.report["callables"][0]["mode"] != "whole"


def test_autocast_is_no_part_of_the_backward_pass(tmp_path: Any) -> None:
    text = program().replace(
        "        return Again", '        with torch.autocast("cpu", torch.bfloat16):\n          return Again'
    )
    outcome = compare(load(tmp_path, text), CALLS)
    assert outcome.report["callables"][0]["mode"] != "whole"


def test_hooks_see_the_gradients_of_the_backward_pass(tmp_path: Any) -> None:
    text = (
        program()
        + """
class Model(Model):
    def __init__(self):
        super().__init__()
        self.seen = []
        self.layer.weight.register_hook(lambda gradient: self.seen.append(float(gradient.sum())))

    def shown(self):
        return len(self.seen)
"""
    )
    compare(load(tmp_path, text), CALLS)
