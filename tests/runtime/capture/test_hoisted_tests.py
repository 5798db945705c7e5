"""Tests of tensors inside autograd functions: the graph around the function follows them."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

FORWARD = """
    import torch

    class Root(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, w):
            ctx.save_for_backward(x, w)
            y = x * w
            if {test}:
                return y.abs() + 1
            return y * 2

        @staticmethod
        def backward(ctx, g):
            x, w = ctx.saved_tensors
            return g * w * 3, g * x

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(3, 3)

        def forward(self, x):
            return Root.apply(self.layer(x), self.layer.bias).sum()

    make = Model
    """
BACKWARD = FORWARD.replace("if {test}:\n                return y.abs() + 1\n            ", "").replace(
    "return g * w * 3, g * x",
    "if {test}:\n                return g * w * 3, g * x\n            return g * 5, g * 2",
)
CALLS = [lambda: (torch.ones(3),), lambda: (torch.ones(3) + 4,), lambda: (torch.ones(3) - 8,)]


def outcome(folder: Any, text: str) -> Any:
    return compare(load(folder, text), CALLS).report["callables"][0]


@pytest.mark.parametrize(
    "test", ["y.min() < 0", "torch.equal(x, w)", "not torch.allclose(y, x)", "(y > 0).all() or (y < 0).all()"]
)
def test_forward_follows_a_test(tmp_path: Any, test: str) -> None:
    assert outcome(tmp_path, FORWARD.format(test=test))["mode"] == "whole"


@pytest.mark.parametrize("test", ["(x * w).min() < 0", "torch.equal(x, w)"])
def test_backward_follows_a_test_of_saved_tensors(tmp_path: Any, test: str) -> None:
    assert outcome(tmp_path, BACKWARD.format(test=test))["mode"] == "whole"


@pytest.mark.parametrize("test", ["g.sum() > 0", "torch.rand(()) > 0.5"])
def test_backward_is_not_asked_before_it_runs(tmp_path: Any, test: str) -> None:
    """The gradient does not exist in front of the function, and a draw there would be another one."""
    assert outcome(tmp_path, BACKWARD.format(test=test))["mode"] != "whole"


@pytest.mark.parametrize("test", ["y.sub_(1).min() < 0", "x.new_zeros(3).index_add_(0, x.long() % 3, w)[1:].max() > 0"])
def test_forward_follows_a_test_of_memory_of_its_own(tmp_path: Any, test: str) -> None:
    assert outcome(tmp_path, FORWARD.format(test=test))["mode"] == "whole"


@pytest.mark.parametrize("test", ["torch.rand(()) > 0.5", "x.data.sub_(1).min() < 0", "x[:2].sub_(1).min() < 0"])
def test_forward_draws_and_writes_once(tmp_path: Any, test: str) -> None:
    assert outcome(tmp_path, FORWARD.format(test=test))["mode"] != "whole"


@pytest.mark.usefixtures("traces_cost_nothing")
def test_backward_reads_tensors_that_are_not_saved_when_it_runs(tmp_path: Any) -> None:
    """Somebody may write to them until then."""
    text = BACKWARD.replace("ctx.save_for_backward(x, w)", "ctx.save_for_backward(x, w)\n            ctx.kept = x")
    assert outcome(tmp_path, text.format(test="ctx.kept.min() < 0"))["mode"] != "whole"


def test_autocast_inside(tmp_path: Any) -> None:
    text = FORWARD.replace(
        "y = x * w", 'with torch.autocast("cpu"):\n                y = (x[None] @ w[:, None]).float()'
    )
    assert outcome(tmp_path, text.format(test="y.min() < 0"))["mode"] != "whole"


@pytest.mark.parametrize("text", [FORWARD, BACKWARD])
def test_a_compiler_behind_the_graph(tmp_path: Any, text: str) -> None:
    found = compare(load(tmp_path, text.format(test="(x * w).min() < 0")), CALLS, backend="aot_eager")
    assert found.report["callables"][0]["mode"] == "whole"


def test_functions_inside_functions_stay_right(tmp_path: Any) -> None:
    text = FORWARD.replace(
        "    class Model",
        """
    class Outer(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, w):
            if x.max() > 2:
                x = x - 1
            return Root.apply(x, w)

        @staticmethod
        def backward(ctx, g):
            return g, g

    class Model""",
    ).replace("Root.apply(self", "Outer.apply(self")
    outcome(tmp_path, text.format(test="y.min() < 0"))


CHECKPOINT = """
    import torch
    from torch.utils.checkpoint import checkpoint

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(3, 3)
            self.last = torch.nn.Linear(3, 3)
            self.drop = torch.nn.Dropout(0.5)

        def block(self, x):
            y = self.layer(x)
            {body}
            return self.last(y).relu()

        def forward(self, x):
            return checkpoint(self.block, x * 2, use_reentrant=False).sum()

    make = Model
    """


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize(
    "body",
    [
        "if y.max() > 1: y = y.clamp(-1, 1)",
        "if x.sum() > 0: return self.last(y)",
        "if y.isnan().any(): raise ValueError('not a number')",
        "y = y if torch.equal(x, x.abs()) else self.last(y.tanh())",
        "while y.abs().max() > 2: y = y / 2",
        "z = torch.zeros(4); z[:3] = y; z[3] = 2\n            if z.sum() > 1: y = y * z[:3]",
        "z = y.detach().clone()\n            for row in z.unsqueeze(0): row.mul_(2)\n            y.add_(1)\n"
        "            if z.max() > 1: y = y * z",
    ],
)
@pytest.mark.parametrize("grad", [True, False])
def test_a_checkpoint_follows_a_test(tmp_path: Any, body: str, backend: str, grad: bool) -> None:
    calls = [*CALLS[:1] * 9, *CALLS]
    found = compare(load(tmp_path, CHECKPOINT.format(body=body)), calls, grad, backend)
    assert found.report["callables"][0]["mode"] == "whole", found.report["callables"][0]["reason"]


@pytest.mark.parametrize(
    "body", ["if self.drop(y).max() > 1: y = y * 2", "x.data.add_(1)\n            if x.max() > 1: y = y * 2"]
)
def test_a_checkpoint_that_draws_or_writes_what_is_tested_is_left(tmp_path: Any, body: str) -> None:
    compare(load(tmp_path, CHECKPOINT.format(body=body)), CALLS)
