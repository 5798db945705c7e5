"""`requires_grad` of parameters and inputs that changes within a call."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import BACKENDS, TwoLayers, load, same, start
from torch import nn

import graphmend.runtime as runtime


class Base(TwoLayers):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))


class Freezes(Base):
    def forward(self, x):
        self.weight.requires_grad = False
        return self.first(x) * self.weight


class Thaws(Base):
    def forward(self, x):
        self.weight.requires_grad_(requires_grad=True)
        return self.first(x) * self.weight


class Toggles(Base):
    def forward(self, x):
        self.weight.requires_grad = not self.weight.requires_grad
        return self.first(x) * self.weight


class ByShape(Base):
    def forward(self, x):
        self.first.requires_grad_(x.shape[0] > 3)
        return self.second(self.first(x))


class ForAWhile(Base):
    """As a generator is trained through a critic that is not."""

    def forward(self, x):
        for parameter in self.second.parameters():
            parameter.requires_grad_(False)
        y = self.second(self.first(x))
        for parameter in self.second.parameters():
            parameter.requires_grad_(True)
        return y


class FreezesBehind(Base):
    def forward(self, x):
        y = self.first(x)
        self.first.requires_grad_(False)
        return y


class FreezesUnused(Base):
    def forward(self, x):
        self.weight.requires_grad = False
        return self.first(x)


class OfInput(Base):
    def forward(self, x):
        x.requires_grad_(True)
        (gradient,) = torch.autograd.grad(self.first(x).sin().sum(), x)
        return self.second(gradient)


class Fails(Base):
    """The call runs again in eager Python: the flag is what it was, then what the program makes of it."""

    def forward(self, x):
        self.weight.requires_grad = not self.weight.requires_grad
        return (self.first(x) * self.weight)[torch.tensor([x.shape[0] - 1, 2])]


class OnBothSides(Base):
    def forward(self, x):
        y = x * self.weight
        self.weight.requires_grad = False
        return self.first(y) * self.weight


def recorded(make: Any, backend: Any, differentiable: bool) -> tuple:
    """What ten calls give and leave behind; eager without a backend."""
    program, run = start(make, backend)
    seen: list = []
    for i in range(10):
        x = torch.randn(2 if i == 6 else 4, 4) + i % 3 - 1
        x.requires_grad_(differentiable)
        try:
            y = run(x)
            if y.requires_grad:
                y.sin().sum().backward()
            seen.append((y.detach(), y.requires_grad, y.grad_fn is None, x.grad, x.requires_grad))
        except IndexError as error:
            seen.append(str(error))
        seen.append([(item.requires_grad, item.grad) for item in program.parameters()])
        seen.append([None if item.grad is None else item.grad.clone() for item in program.parameters()])
        if i % 4 == 3:
            for name, parameter in program.named_parameters():
                parameter.requires_grad_(i % 8 == 3 or name.startswith("second"))
    return tuple(seen)


PROGRAMS = [Freezes, Thaws, Toggles, ByShape, ForAWhile, FreezesBehind, FreezesUnused, OfInput, Fails]


@pytest.mark.parametrize("differentiable", [False, True])
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_flags_change_as_in_eager_python(program: Any, backend: str, differentiable: bool) -> None:
    assert same(recorded(program, None, differentiable), recorded(program, backend, differentiable))
    (record,) = runtime.report()["callables"]
    assert record["mode"] == "whole"
    assert bool(record["replays"]) is (program is Fails)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_tensor_that_is_used_with_both_flags_breaks_the_graph(backend: str) -> None:
    assert same(recorded(OnBothSides, None, True), recorded(OnBothSides, backend, True))
    assert [record["mode"] for record in runtime.report()["callables"]] == ["partial"]


TEXT = """
import torch
from torch import nn

class Program(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))

    def forward(self, x):
        self.weight.requires_grad = bool(x.mean() > 0)
        print("trains", self.weight.requires_grad, round(x.sum().item(), 2))
        return x * self.weight

def make():
    return Program()
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_data_decide_on_a_flag(tmp_path: Any, backend: str, capsys: Any) -> None:
    make = load(tmp_path, TEXT)
    expected = recorded(make, None, True), capsys.readouterr().out
    assert same(expected, (recorded(make, backend, True), capsys.readouterr().out))
    (record,) = runtime.report()["callables"]
    assert (record["mode"], record["replays"], record["paths"]) == ("whole", 0, 2)
