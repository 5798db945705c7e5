"""Gradients that computed tensors keep: `retain_grad`."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, plain
from torch import nn

CALLS = [lambda n=n: (torch.randn(4, 8) * n,) for n in (1, 2, 3)]


class Layers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(8, 8), nn.Linear(8, 2)
        self.kept: Any = None

    def shown(self) -> list[Any]:
        """What `compare` does not look at."""
        gradients = [p.grad for p in self.parameters()]
        strides = [None if g is None else (g.stride(), g.requires_grad) for g in gradients]
        kept = self.kept if self.kept is None else (plain(self.kept), self.kept.retains_grad, plain(self.kept.grad))
        return [list(map(plain, gradients)), strides, kept]


class Saliency(Layers):
    def forward(self, x):
        hidden = self.first(x.detach())
        hidden.retain_grad()
        before = hidden.grad is None
        self.second(hidden.tanh()).sum().backward()
        return hidden.grad * hidden.detach(), before


class Several(Layers):
    """Two tensors, one of them turned round, and one that no gradient comes to."""

    def forward(self, x):
        hidden = self.first(x.detach())
        turned, idle = hidden.t(), hidden * 2
        for part in (hidden, turned, idle, hidden):
            part.retain_grad()
        self.second(turned.t() * hidden).pow(2).mean().backward()
        return hidden.grad, turned.grad, turned.grad.stride(), idle.grad


class Twice(Layers):
    def forward(self, x):
        hidden = self.first(x.detach())
        hidden.retain_grad()
        first = self.second(hidden).sum()
        first.backward(retain_graph=True)
        once = hidden.grad
        (hidden * hidden).sum().backward()
        return once, hidden.grad, hidden.grad is once


class Decides(Layers):
    def forward(self, x):
        hidden = self.first(x.detach())
        hidden.retain_grad()
        self.second(hidden).pow(2).mean().backward()
        if hidden.grad.norm() > 1:
            return x * 2
        return x - 1


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("program", [Saliency, Several, Twice, Decides], ids=lambda program: program.__name__)
def test_whole(program: Any, backend: str) -> None:
    outcome = compare(program, CALLS, backend=backend)
    assert [record["mode"] for record in outcome.report["callables"]] == ["whole"]


class Leaves(Layers):
    """The caller asks the tensor for its gradient, too."""

    def forward(self, x):
        hidden = self.first(x.detach())
        hidden.retain_grad()
        self.second(hidden).sum().backward(retain_graph=True)
        return hidden


class IsKept(Layers):
    def forward(self, x):
        self.kept = self.first(x.detach())
        self.kept.retain_grad()
        self.second(self.kept).sum().backward()
        return x * 1


class Viewed(Layers):
    def forward(self, x):
        hidden = self.first(x.detach())
        hidden.retain_grad()
        self.second(hidden).sum().backward(retain_graph=True)
        return hidden[1:]


class Written(Layers):
    def forward(self, x):
        hidden = self.first(x.detach())
        hidden.retain_grad()
        hidden.mul_(2)
        self.second(hidden).sum().backward()
        return hidden.grad


class Asked(Layers):
    """`autograd.grad` leaves a gradient in what lies on its way."""

    def forward(self, x):
        hidden = self.first(x.detach())
        hidden.retain_grad()
        torch.autograd.grad(self.second(hidden).sum(), self.first.weight)
        return hidden.grad


class Hooked(Layers):
    def forward(self, x):
        hidden = self.first(x.detach())
        hidden.register_hook(lambda gradient: gradient * 2)
        hidden.retain_grad()
        self.second(hidden).sum().backward()
        return hidden.grad


class Replaced(Layers):
    def forward(self, x):
        hidden = self.first(x.detach())
        hidden.retain_grad()
        hidden.grad = torch.ones_like(hidden)
        self.second(hidden).sum().backward()
        return hidden.grad, hidden.retains_grad


class NoGradient(Layers):
    def forward(self, x):
        hidden = self.first(x.detach()).detach()
        try:
            hidden.retain_grad()
        except RuntimeError as error:
            return x * 1, str(error)
        return x * 2


class OfLeaf(Layers):
    def forward(self, x):
        self.first.weight.retain_grad()
        self.first(x.detach()).sum().backward()
        return self.first.weight.grad.clone()


LEFT = [Leaves, IsKept, Viewed, Written, Asked, Hooked, Replaced, NoGradient, OfLeaf]


@pytest.mark.parametrize("program", LEFT, ids=lambda program: program.__name__)
def test_left(program: Any) -> None:
    compare(program, CALLS)


@pytest.mark.parametrize("part", ["hidden", "hidden[1:]._base", "hidden.view(-1)"])
def test_the_caller_finds_the_gradient(part: str) -> None:
    """It computes the gradients itself, and the compiled function none."""
    found = []
    for compiled in (False, True):
        torch._dynamo.reset()
        namespace: dict[str, Any] = {}
        exec(f"def f(x):\n    hidden = x * 2\n    hidden.retain_grad()\n    return {part}, hidden.sum()", namespace)
        function = torch.compile(namespace["f"], backend="eager") if compiled else namespace["f"]
        shown, total = function(torch.ones(3, requires_grad=True))
        total.backward()
        found.append(plain((shown if shown._base is None else shown._base).grad))
    assert found[0] is not None and str(found[0]) == str(found[1])
