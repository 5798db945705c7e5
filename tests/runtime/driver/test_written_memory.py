"""Memory that a call writes to and gradients need: compilers read it again, or write to it, in the backward pass."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

import pytest
import torch
from harness import load
from torch.fx import GraphModule

import graphmend.runtime as _gm
from graphmend.runtime.analysis.repeated_reads import has_repeated_reads
from graphmend.runtime.driver.reused_memory import hands_out_kept

Body = Callable[[Any, torch.Tensor], Any]


class Module(torch.nn.Module):
    def __init__(self, body: Body) -> None:
        super().__init__()
        self.body = body
        self.register_buffer("mean", torch.zeros(2))
        self.w = torch.nn.Parameter(torch.ones(2))
        self.norm = torch.nn.BatchNorm1d(2)

    def forward(self, x: torch.Tensor) -> Any:
        return self.body(self, x)


def graph_of(body: Body) -> GraphModule:
    """The graph of a call, as a backend gets it."""
    found: list[GraphModule] = []

    def keep(module: GraphModule, inputs: Any) -> Any:
        found.append(module)
        return module.forward

    torch._dynamo.reset()
    torch.compile(Module(body), backend=keep, fullgraph=True)(torch.ones(3, 2))
    return found[0]


def written_first(self: Any, x: torch.Tensor) -> Any:
    self.mean.mul_(0.5).add_(x.mean(0))
    return (x - self.mean) * self.w


def written_last(self: Any, x: torch.Tensor) -> Any:
    y = (x - self.mean).abs() * self.w
    self.mean.copy_(x.mean(0))
    return y


def written_through_a_view(self: Any, x: torch.Tensor) -> Any:
    self.mean[:1] = x.mean()
    return (x + self.mean) * self.w


def written_beside(self: Any, x: torch.Tensor) -> Any:
    y = x * self.w
    self.mean.lerp_(y.detach().mean(0), 0.5)
    return y + 1


def without_gradients(self: Any, x: torch.Tensor) -> Any:
    self.mean.lerp_(x.mean(0), 0.5)
    return x - self.mean


def running_statistics(self: Any, x: torch.Tensor) -> Any:
    return self.norm(x) * self.w


def input_is_written(self: Any, x: torch.Tensor) -> Any:
    x.add_(1)
    return x * self.w


def memory_of_the_call(self: Any, x: torch.Tensor) -> Any:
    mean = torch.zeros(2)
    mean.add_(x.mean(0))
    return (x - mean) * self.w


READS = {
    written_first: True,
    written_last: True,
    written_through_a_view: True,
    input_is_written: True,
    written_beside: False,
    without_gradients: False,
    running_statistics: False,
    memory_of_the_call: False,
}


@pytest.mark.parametrize("body", READS)
def test_reads_that_a_compiler_may_repeat(body: Body) -> None:
    assert has_repeated_reads(graph_of(body)) == READS[body]


HANDED_OUT: dict[str, tuple[Body, bool]] = {
    "a value that gradients need": (lambda self, x: ((x - (m := x.mean(0))) * self.w, m), True),
    "a value beside": (lambda self, x: (x * self.w, x.mean(0)), False),
    "an integer": (lambda self, x: (x * self.w * (n := x.argmax()), n), False),
    "a result with a gradient": (lambda self, x: (y := x * self.w, y * 2), False),
    "no gradient": (lambda self, x: (x - (m := x.mean(0)), m), False),
}


@pytest.mark.parametrize("name", HANDED_OUT)
def test_values_handed_out_that_are_kept_for_gradients(name: str) -> None:
    body, is_kept = HANDED_OUT[name]
    assert hands_out_kept(graph_of(body)) == is_kept


PROGRAM = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(2))
        self.register_buffer("n", torch.tensor(0))
        self.w = torch.nn.Parameter(torch.ones(2))

    def forward(self, x):
        {update}
        if self.n == 4:
            raise RuntimeError("four")
        return (x - self.mean) * self.w

def make():
    return Net()
"""


@pytest.mark.parametrize("update", ["self.mean.lerp_(x.mean(0), 0.5)", "self.mean = self.mean.lerp(x.mean(0), 0.5)"])
def test_gradients_and_buffers_are_those_of_eager_python(tmp_path: Path, update: str) -> None:
    names: dict[str, Any] = {}
    exec(PROGRAM.format(update=update), names)
    torch._dynamo.reset()
    _gm.registry.reset()
    eager, module = names["make"](), load(tmp_path, PROGRAM.format(update=update))()
    compiled = torch.compile(module, backend="inductor")
    for seed in range(2):
        for one, call in ((eager, eager), (module, compiled)):
            one.zero_grad()
            call(torch.randn(3, 2, generator=torch.Generator().manual_seed(seed))).pow(2).sum().backward()
        torch.testing.assert_close(module.mean, eager.mean)
        torch.testing.assert_close(module.w.grad, eager.w.grad)
    mode = "partial" if "lerp_" in update else "whole"
    assert _gm.report()["callables"][0]["mode"] == mode


STEP = """
import torch

class Step(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 3)
        self.optimizer = torch.optim.SGD(self.parameters(), lr=0.1)

    def forward(self, x):
        loss = self.linear(x).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        print(f"{loss.item():.4f}")
        return loss.detach()

def make():
    torch.manual_seed(0)
    return Step()
"""


def test_a_training_step_hands_out_no_gradients(tmp_path: Path) -> None:
    torch._dynamo.reset()
    _gm.registry.reset()
    compiled = torch.compile(load(tmp_path, STEP)(), backend="aot_eager")
    losses = [compiled(torch.ones(2, 3)).item() for _ in range(3)]
    assert losses == sorted(losses, reverse=True)
    assert [entry["mode"] for entry in _gm.report()["callables"]] == ["whole"]
