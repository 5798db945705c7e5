"""Calls that are undone or come late: the random numbers that functions draw without saying so in their names."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from harness import compare, load
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv

from graphmend.runtime.analysis import node_facts

ATTENTION = """
import torch


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.attention = torch.nn.MultiheadAttention(8, 2, dropout=0.3, batch_first=True)
        self.first = torch.nn.Linear(8, 8)
        self.second = torch.nn.Linear(8, 8)

    def forward(self, x):
        y, _ = self.attention(x, x, x)
        if y.mean() > 0:
            return self.first(y)
        return self.second(y) * 2


def make():
    return Block()
"""


def train(model: torch.nn.Module, function: object, steps: int = 6) -> tuple:
    torch.manual_seed(7)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for step in range(steps):
        x = torch.randn(2, 5, 8) * (step % 3 - 1)
        loss = function(x).pow(2).mean()  # type: ignore[operator]
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, torch.get_rng_state().tolist()


def test_training_with_dropout_in_attention(tmp_path: Path) -> None:
    make = load(tmp_path, ATTENTION)
    expected, model = make(), make()
    compiled = torch.compile(model, backend="eager")
    assert train(model, compiled) == train(expected, expected)


GUARDED = """
import torch
import torch.nn.functional as F


def f(x):
    y = {expression}
    if y.float().sum() > x.sum() * 0 + {limit}:
        raise ValueError(f"too much: {{y.float().sum().item():.4f}}")
    return y


def g(x):
    y = {expression}
    if y.float().sum() > {limit}:
        z = torch.zeros(3)
    else:
        z = torch.zeros(4)
    return y, z


def make():
    return {name}
"""

DRAWING = {
    "gamma": "torch._standard_gamma(x.abs() + 0.5)",
    "Gamma": "torch.distributions.Gamma(x.abs() + 0.5, 1.0).rsample()",
    "Chi2": "torch.distributions.Chi2(x.abs() + 1.5).sample()",
    "StudentT": "torch.distributions.StudentT(x.abs() + 1.5).rsample()",
    "svd_lowrank": "torch.svd_lowrank(x, q=2)[1]",
    "pca_lowrank": "torch.pca_lowrank(x, q=2)[1]",
    "fractional_max_pool2d": "F.fractional_max_pool2d(x[None, None], 2, output_size=(2, 2))",
    "fractional_max_pool3d": "F.fractional_max_pool3d(x[None, None, None].expand(1, 1, 4, 4, 4), 2, output_size=2)",
    "attention": "F.scaled_dot_product_attention(x[None], x[None], x[None], dropout_p=0.5)",
    "rrelu": "F.rrelu(x, 0.1, 0.9, True)",
    "dropout": "F.feature_alpha_dropout(x[None, None], 0.5, True)",
    "gumbel": "F.gumbel_softmax(x)",
    "bernoulli": "torch.bernoulli(x.sigmoid())",
    "method": "x.detach().clone().log_normal_()",
    "lobpcg": "torch.lobpcg((x @ x.T + torch.eye(4)).detach().repeat(1, 1), k=1, niter=2)[0]",
}


@pytest.mark.parametrize("name", ["f", "g"])
@pytest.mark.parametrize("kind", list(DRAWING))
def test_numbers_of_calls_that_are_run_again(tmp_path: Path, kind: str, name: str) -> None:
    torch.manual_seed(5)
    inputs = [torch.randn(4, 4) * scale for scale in (1.0, 0.1, 30.0)]
    torch.manual_seed(1)
    found = sorted(
        eval(DRAWING[kind], {"torch": torch, "F": torch.nn.functional, "x": x}).float().sum() for x in inputs
    )
    make = load(tmp_path, GUARDED.format(expression=DRAWING[kind], limit=float(found[1]), name=name))
    compare(make, [lambda x=x: (x.clone(),) for x in inputs], grad=False)


def item_of_a_trace(may_read: bool) -> torch.fx.Node:
    """A node that reads a number, in a trace whose settings let numbers be read or not."""
    graph = torch.fx.Graph()
    place = graph.placeholder("x")
    with FakeTensorMode(shape_env=ShapeEnv(allow_scalar_outputs=may_read)):
        place.meta["example_value"] = torch.empty((), dtype=torch.float64)
    return graph.call_method("item", (place,))


def test_a_call_that_fails_in_one_trace_is_asked_again_in_another() -> None:
    node_facts.cache.clear()
    assert node_facts.draws(item_of_a_trace(False))
    assert not node_facts.draws(item_of_a_trace(True))
    assert not node_facts.draws(item_of_a_trace(False)), "facts are those of the call, in each trace"
