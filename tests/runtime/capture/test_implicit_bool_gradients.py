"""Gradients that a program asks for inside a compiled call: `autograd.grad`, `backward`, training steps, new leaves."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from harness import Outcome, compare, plain
from torch import nn

CALLS = [lambda n=n: (torch.randn(4, 8) * n,) for n in (1, 2, 3)]
PAIRS = [lambda n=n: (torch.randn(4, 8) * n, torch.randn(4, 8)) for n in (1, 2, 3)]


def modes(outcome: Outcome) -> list[str]:
    return [record["mode"] for record in outcome.report["callables"]]


class Layers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(8, 8), nn.Linear(8, 2)
        self.seen: list[Any] = []

    def run(self, x):
        return self.second(self.first(x).tanh())

    def shown(self) -> list[Any]:
        """What `compare` does not look at."""
        gradients = [p.grad for p in self.parameters()]
        strides = [None if g is None else (g.stride(), g.requires_grad) for g in gradients]
        return [torch.utils._pytree.tree_map(plain, self.seen), strides, [p.requires_grad for p in self.parameters()]]


class Penalty(Layers):
    def forward(self, x):
        x = x.detach().requires_grad_(True)
        score = self.run(x)
        (gradient,) = torch.autograd.grad(score.sum(), x, create_graph=True)
        return (gradient.norm(2, dim=1) - 1).pow(2).mean(), score


class Descent(Layers):
    """Leaves that the function makes, in-place steps on them, dropout and random numbers in between."""

    def forward(self, x):
        step = torch.zeros_like(x, requires_grad=True)
        for _ in range(2):
            F.dropout(self.run(x.detach() + step), 0.25).pow(2).mean().backward()
            with torch.no_grad():
                step += 0.1 * step.grad.sign() + 0.01 * torch.randn_like(x)
                step.grad.zero_()
        return step.detach(), step.grad


class Backward(Layers):
    def forward(self, x):
        loss = self.run(x.detach()).pow(2).mean()
        loss.backward(retain_graph=True)
        torch.autograd.backward(loss)
        self.seen = self.first.weight.grad.norm().item()
        return loss.detach()


class Shared(nn.Module):
    """Gradients that are views of one tensor, and such as do not lie in memory as their leaf does."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Parameter(torch.randn(4, 8)), nn.Parameter(torch.randn(4, 8))
        self.c, self.d = nn.Parameter(torch.randn(8, 3)), nn.Parameter(torch.randn(3, 8).t())
        self.unused = nn.Parameter(torch.ones(2))

    def forward(self, x):
        (self.a + self.b).sum().backward()
        ((x.detach() @ self.c) * (x.detach() @ self.d)).sum().backward()
        return self.a.grad, self.b.grad * 2, self.c.grad.stride(), self.d.grad.stride(), self.unused * 1


class Second(Layers):
    def forward(self, x):
        x = x.detach().requires_grad_()
        value = self.run(x)
        first = torch.autograd.grad(value, x, torch.ones_like(value), create_graph=True)[0]
        second = torch.autograd.grad(first[:, 0].sum(), x, create_graph=True)[0]
        rows = [torch.autograd.grad(value[:, i].sum(), x, retain_graph=True)[0] for i in range(2)]
        return (second - value.sum()).pow(2).mean(), torch.stack(rows)


class OnlyForCheckpoints(Layers):
    def forward(self, x):
        hidden = x.detach()[:, None]
        hidden.requires_grad = True
        return self.run(hidden), hidden.requires_grad


class Step(Layers):
    options: dict[str, Any] = {"lr": 0.1}

    def __init__(self) -> None:
        super().__init__()
        self.optimizer = torch.optim.SGD(self.parameters(), **self.options)

    def forward(self, x, y):
        self.optimizer.zero_grad()
        loss = F.mse_loss(self.first(x.detach()), y.detach()) + self.second(x.detach()).mean()
        loss.backward()
        nn.utils.clip_grad_norm_(self.parameters(), 1.0)
        self.optimizer.step()
        self.seen = [p for state in self.optimizer.state.values() for p in state.values()]
        return loss.detach()


class Momentum(Step):
    options = {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.01, "nesterov": True}


class ByHand(Layers):
    def forward(self, x):
        loss = self.run(x.detach()).pow(2).mean()
        loss.backward()
        with torch.no_grad():
            for p in self.parameters():
                p -= 0.1 * p.grad
                p.grad.zero_()
        return loss.item()


class Decides(Layers):
    def forward(self, x):
        self.run(x.detach()).pow(2).mean().backward()
        if self.first.weight.grad.norm() > 1:
            return x * 2
        return x - 1


WHOLE = [Penalty, Descent, Backward, Shared, Second, OnlyForCheckpoints, ByHand, Decides]


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("program", WHOLE, ids=lambda program: program.__name__)
def test_whole(program: Any, backend: str) -> None:
    assert modes(compare(program, CALLS, backend=backend)) == ["whole"]


@pytest.mark.parametrize("program", [Step, Momentum], ids=lambda program: program.__name__)
@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_training(program: Any, backend: str) -> None:
    outcome = compare(program, PAIRS, backend=backend)
    assert modes(outcome) == ["whole"]
    assert outcome.graphs <= 3


class ReturnsLoss(Layers):
    """Whoever asks the result for gradients once more gets an exception."""

    def forward(self, x):
        loss = self.run(x.detach()).pow(2).mean()
        torch.autograd.grad(loss, self.first.weight)
        return loss * 1 if self.seen else loss.detach() * loss


class Leaf(Layers):
    def forward(self, x):
        return x.detach()[:, None].requires_grad_() * 2


class Written(Layers):
    """Python notices at `backward` that what a gradient needs has been written to."""

    def forward(self, x):
        base = x.detach().clone()
        hidden = base[:, None]
        hidden.requires_grad = True
        result = self.run(hidden * hidden)
        base.add_(1)
        return result.detach() + self.run(hidden)


class NoLeaf(Layers):
    """Unlike `requires_grad_`, the assignment raises for a tensor that has been computed, even if nothing changes."""

    def forward(self, x):
        hidden = x[:, None].requires_grad_()
        hidden.requires_grad = True
        return self.run(hidden)


class Counts(Layers):
    def forward(self, x):
        self.run(x.detach()).sum().backward()
        return x * self.first.weight.grad._version


class Kept(Layers):
    def forward(self, x):
        self.run(x.detach()).sum().backward(create_graph=True)
        return x * 1


@pytest.mark.parametrize("program", [Leaf, Written, NoLeaf, Counts, Kept], ids=lambda program: program.__name__)
def test_left(program: Any) -> None:
    assert "whole" not in modes(compare(program, CALLS))


class OfTheCaller(Layers):
    """What is written to in place is still the tensor of the caller."""

    def forward(self, x):
        x += 1
        x.requires_grad_()
        return x.detach() * 2


def test_the_caller_sees_what_is_to_have_a_gradient() -> None:
    assert "whole" not in modes(compare(OfTheCaller, CALLS, grad=False))


def test_consumed() -> None:
    """A result whose gradient has been used up stays one."""
    torch._dynamo.reset()
    compiled = torch.compile(ReturnsLoss(), backend="eager")
    with pytest.raises(RuntimeError, match="second time"):
        compiled(torch.randn(4, 8)).backward()


class Hooked(Layers):
    """Hooks on parameters are called; those on what the graph makes are part of the graph."""

    def forward(self, x):
        hidden = self.first(x.detach())
        hidden.register_hook(lambda gradient: gradient * 2)
        self.second(hidden).pow(2).mean().backward()
        return x * 1

    def watch(self) -> Any:
        self.first.weight.register_hook(lambda gradient: self.seen.append(round(gradient.norm().item(), 3)))
        self.second.bias.register_post_accumulate_grad_hook(lambda p: self.seen.append(round(p.grad.sum().item(), 3)))
        return self


@pytest.mark.parametrize("make", [Hooked, lambda: Hooked().watch()], ids=["inside", "outside"])
def test_hooks(make: Any) -> None:
    compare(make, CALLS)


@pytest.mark.filterwarnings("ignore")
def test_hooks_that_come_later() -> None:
    """A graph that has been made without hooks is left once there are some, and used again when they are gone."""
    torch._dynamo.reset()
    module = Hooked()
    compiled = torch.compile(module, backend="eager")
    for round in range(3):
        handle = (
            module.first.weight.register_hook(lambda gradient: module.seen.append(gradient.sum())) if round else None
        )
        compiled(torch.randn(4, 8))
        assert len(module.seen) == round
        if handle is not None:
            handle.remove()
    with torch.autograd.set_detect_anomaly(True, check_nan=True), pytest.raises(RuntimeError, match="nan values"):
        compiled(torch.full((4, 8), float("nan")))
