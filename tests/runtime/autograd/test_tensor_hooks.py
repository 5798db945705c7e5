"""Hooks on tensors of the graph that print, record or look at numbers: Python calls them where the graph says."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import BACKENDS, TwoLayers, compare, load, same, start

import graphmend.runtime as runtime

CALLS = [lambda: (torch.randn(3, 4),), lambda: (torch.rand(3, 4),)]


class Base(TwoLayers):
    """A module that records."""

    def __init__(self) -> None:
        super().__init__()
        self.norms: list = []
        self.limit = 0.5

    def shown(self) -> list:
        return self.norms


class Records(Base):
    def forward(self, x):
        y = self.first(x)
        y.register_hook(lambda gradient: self.norms.append(round(gradient.norm().item(), 3)))
        return self.second(y.relu())


class Prints(Base):
    def forward(self, x):
        y = self.first(x)
        y.register_hook(lambda gradient: print("first", tuple(gradient.shape), gradient.stride()))
        z = self.second(y.relu())
        z.register_hook(lambda gradient: print("second", gradient.requires_grad, torch.is_grad_enabled()))
        return z.tanh()


class Clips(Base):
    """The hook decides on numbers, and changes the gradient."""

    def forward(self, x):
        def clip(gradient):
            norm = gradient.norm().item()
            self.norms.append(round(norm, 3))
            if norm > self.limit:
                return gradient * (self.limit / norm)

        y = self.first(x)
        y.register_hook(clip)
        return self.second(y) + y


class Several(Base):
    """Hooks on one tensor see what the ones before have made of the gradient; each call has its own numbers."""

    def forward(self, x):
        for i, layer in enumerate([self.first, self.second]):
            x = layer(x)
            x.register_hook(lambda gradient, i=i: self.norms.append((i, round(gradient.sum().item(), 3))))
            x.register_hook(lambda gradient: gradient * 2)
            x.register_hook(lambda gradient, i=i: self.norms.append((i, round(gradient.sum().item(), 3))))
            x = x.relu()
        return x


class Method(Base):
    def watch(self, gradient):
        self.norms.append(round(float(gradient.abs().max()), 3))
        return gradient.clamp(-0.1, 0.1)

    def forward(self, x):
        y = self.first(x)
        y.register_hook(self.watch)
        return self.second(y.view(4, 3).t().contiguous().view(3, 4))


class TwoResults(Base):
    """Only results that are differentiated have their hooks called, and the inputs behind them gradients."""

    def forward(self, x):
        y, z = self.first(x), self.second(x)
        y.register_hook(lambda gradient: self.norms.append(("y", round(gradient.sum().item(), 3))))
        z.register_hook(lambda gradient: self.norms.append(("z", round(gradient.sum().item(), 3))))
        return y.sin(), z.cos(), (y * z).detach()


class Mask(Base):
    """The hook uses a tensor of the graph."""

    def forward(self, x):
        mask = (x > 0).float()
        y = self.first(x)

        def hook(gradient):
            print(round(gradient.sum().item(), 3))
            return gradient * mask

        y.register_hook(hook)
        return self.second(y.relu())


PROGRAMS = [Records, Prints, Clips, Several, Method, TwoResults, Mask]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_hooks_are_called_where_the_graph_says(program: Any, backend: str) -> None:
    outcome = compare(program, CALLS, backend=backend)
    assert outcome.graphs == 1
    assert [record["mode"] for record in outcome.report["callables"]] == ["whole"]


def test_inductor_keeps_the_order() -> None:
    assert compare(Several, CALLS, backend="inductor").graphs == 1


# ---- What the caller does with the results ----


class Pair(Base):
    """Three results, of which two tensors with hooks know."""

    def forward(self, x):
        y = self.first(x).relu()
        z = self.second(x)
        y.register_hook(lambda gradient: self.norms.append(("y", round(gradient.sum().item(), 3))))
        z.register_hook(lambda gradient: self.norms.append(("z", round(gradient.sum().item(), 3))))
        return y * 2, z * 3, y + z


class Raises(Base):
    """The later hook has run and the leaves behind it have their gradients when the earlier one raises."""

    def forward(self, x):
        def stop(gradient):
            if gradient.abs().sum().item() > 0:
                raise ValueError(f"bad {gradient.numel()}")

        y = self.first(x)
        y.register_hook(stop)
        z = self.second(y.relu())
        z.register_hook(lambda gradient: self.norms.append("z"))
        return z.tanh()


class Gives(Base):
    """What a hook gives is looked at as Python does."""

    def __init__(self, what: Any) -> None:
        super().__init__()
        self.what = what

    def forward(self, x):
        def hook(gradient):
            self.norms.append(round(gradient.sum().item(), 3))
            return self.what(gradient)

        y = self.first(x)
        y.register_hook(hook)
        return self.second(y.relu())


class Handles(Base):
    def forward(self, x):
        y = self.first(x)
        kept = y.register_hook(lambda gradient: self.norms.append(("kept", round(gradient.sum().item(), 3))))
        self.handle = y.register_hook(lambda gradient: self.norms.append("own") or gradient * 2)
        gone = y.register_hook(lambda gradient: self.norms.append(("gone", gradient.sum().item())))
        gone.remove()
        self.handles = [kept, self.handle]
        return self.second(y.relu())


class OnLeaves(Base):
    def __init__(self) -> None:
        super().__init__()
        self.second.weight.register_hook(lambda gradient: self.norms.append("second"))
        self.first.weight.register_post_accumulate_grad_hook(lambda parameter: self.norms.append("first"))

    def forward(self, x):
        y = self.first(x)
        y.register_hook(lambda gradient: self.norms.append(round(gradient.sum().item(), 3)))
        return self.second(y.relu())


class Keeps(Base):
    """The gradients are the program's to keep."""

    def forward(self, x):
        y = self.first(x)
        y.register_hook(self.norms.append)
        z = self.second(y.relu())
        z.register_hook(self.norms.append)
        return z.sin().relu()


def each_alone(program: Any, run: Any, x: Any) -> None:
    for i in range(3):
        results = run(x)
        results[i].sum().backward(retain_graph=True)
        program.norms.append("--")
        results[i].sum().backward()


def for_some(program: Any, run: Any, x: Any) -> None:
    for wanted in (program.first.weight, program.second.bias, x):
        for i in range(3):
            (found,) = torch.autograd.grad(run(x)[i].sum(), [wanted], allow_unused=True)
            program.norms.append(None if found is None else round(found.sum().item(), 3))
    run(x)[0].sum().backward(inputs=[program.first.bias])
    run(x)[2].sum().backward(inputs=[program.second.bias, x])


def caught(program: Any, run: Any, x: Any) -> None:
    for _ in range(2):
        try:
            run(x).sum().backward()
        except Exception as error:
            program.norms.append((type(error), str(error), type(error.__cause__), type(error.__context__)))
    try:
        torch.autograd.grad(run(x).sum(), [program.second.weight])
    except Exception as error:
        program.norms.append((type(error), str(error)))


def removed(program: Any, run: Any, x: Any) -> None:
    result = run(x).sum()
    program.norms.append((program.handle is program.handles[1], type(program.handle)))
    result.backward(retain_graph=True)
    program.handle.remove()
    result.backward(retain_graph=True)
    program.handles[0].remove()
    result.backward()


def plainly(program: Any, run: Any, x: Any) -> None:
    run(x).sum().backward()


def twice(program: Any, run: Any, x: Any) -> None:
    run(x).sum().backward(create_graph=True)


def recorded(make: Any, drive: Any, backend: Any) -> tuple:
    """What hooks see, and the gradients; eager without a backend."""
    program, run = start(make, backend)
    x = torch.randn(3, 4, requires_grad=True)
    for _ in range(2):
        drive(program, run, x)
    seen = [
        (item.shape, item.stride(), item.requires_grad, item.detach()) if isinstance(item, torch.Tensor) else item
        for item in program.norms
    ]
    return seen, [parameter.grad for parameter in [*program.parameters(), x]]


GIVEN = [
    lambda gradient: "text",
    lambda gradient: gradient[0],
    lambda gradient: gradient.double(),
    lambda gradient: gradient.sum(),
    lambda gradient: gradient.expand(2, 3, 4),
]
DRIVEN = [
    (Pair, each_alone),
    (Pair, for_some),
    (Raises, caught),
    (Handles, removed),
    (Keeps, plainly),
    *[(lambda what=what: Gives(what), caught) for what in GIVEN],
]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("make, drive", DRIVEN)
def test_the_backward_pass_is_that_of_eager_python(make: Any, drive: Any, backend: str) -> None:
    expected, got = recorded(make, drive, None), recorded(make, drive, backend)
    assert same(got, expected), f"{got} != {expected}"
    assert [record["mode"] for record in runtime.report()["callables"]] == ["whole"]


@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph")
def test_gradients_of_gradients_are_announced() -> None:
    assert same(recorded(Keeps, twice, None), recorded(Keeps, twice, "aot_eager"))


@pytest.mark.parametrize("backend", BACKENDS)
def test_hooks_on_leaves_run_in_between(backend: str) -> None:
    assert same(recorded(OnLeaves, plainly, None), recorded(OnLeaves, plainly, backend))
    (record,) = runtime.report()["callables"]
    assert record["replays"]


# ---- Hooks that would see another thing inside a backward graph ----


class AsksForGradients(Base):
    def forward(self, x):
        y = self.first(x)
        y.register_hook(lambda gradient: self.norms.append(self.second.weight.grad is None))
        return self.second(y.relu())


class WritesToGradient(Base):
    def forward(self, x):
        def hook(gradient):
            self.norms.append(round(gradient.sum().item(), 3))
            gradient[0] = 0

        y = self.first(x)
        y.register_hook(hook)
        return self.second(y) + y + x


class WritesToTensor(Base):
    def forward(self, x):
        y = self.first(x)
        y.register_hook(lambda gradient: self.norms.append(round(gradient.sum().item(), 3)))
        y.mul_(2)
        return self.second(y.relu())


class SameTensor(Base):
    def forward(self, x):
        y = self.first(x)
        z = y.contiguous()
        z.register_hook(lambda gradient: self.norms.append(round(gradient.sum().item(), 3)))
        return y.sin() + z.cos()


@pytest.mark.parametrize("program", [AsksForGradients, WritesToGradient, WritesToTensor, SameTensor])
def test_such_hooks_break_the_graph(program: Any) -> None:
    assert same(recorded(program, plainly, None), recorded(program, plainly, "eager"))
    assert [record["mode"] for record in runtime.report()["callables"]] == ["partial"]


BRANCH = """
import torch
from torch import nn

class Program(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.norms = []

    def shown(self):
        return self.norms

    def forward(self, x):
        y = self.first(x)
        y.register_hook(lambda gradient: self.norms.append(round(gradient.norm().item(), 3)))
        if y.mean() > 0:
            y = y * 2
        return y.sin()

def make():
    return Program()
"""


def test_a_branch_behind_a_hook_is_followed(tmp_path: Any) -> None:
    """Were both sides selected, hooks would be called for the one that is not taken."""
    calls = [lambda: (torch.ones(3, 4),)] * 9 + [lambda: (-torch.ones(3, 4),)]
    outcome = compare(load(tmp_path, BRANCH), calls)
    assert outcome.mended("GM105")
    assert "a tensor has a hook, and the branch chooses what has a gradient" in outcome.refusals("GM101")
