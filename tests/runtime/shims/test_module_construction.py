"""Modules that a call makes for itself."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

LOSS = """
    import torch
    from torch import nn
    class Loss(nn.Module):
        def __init__(self, size, last):
            super().__init__()
            weight = torch.ones(size)
            weight[-1] = last
            self.weight = nn.Buffer(weight)
        @torch.no_grad()
        def chosen(self, x):
            return (x * self.weight).argmax(-1)
        @torch.enable_grad()
        def forward(self, x):
            if (x > 100).any():
                raise ValueError(f"too large: {x.max()}")
            return (x * self.weight).sum(-1) + self.chosen(x)
    """
KINDS = """
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(3, 3)
        def forward(self, x):
            loss = Loss(3, 0.5)
            {body}
    make = Model
    """


def calls() -> list:
    return [lambda n=n: (torch.randn(2, 3) * n,) for n in (1, 2, 1, 2, 1, 2, 1e6)]


@pytest.mark.parametrize("grad", [True, False])
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_a_loss_is_made_and_asked(tmp_path: Any, backend: str, grad: bool) -> None:
    body = "return loss(self.linear(x)), isinstance(loss.weight, nn.Buffer), list(loss.state_dict())"
    outcome = compare(load(tmp_path, LOSS + KINDS.format(body=body)), calls(), grad, backend)
    assert [one["mode"] for one in outcome.report["callables"]] == ["whole"], outcome.report
    assert outcome.mended("GM401")


OUTLIVES = {
    "the module": "self.last = loss; return self.last(x)",
    "its buffer": "return loss(x), loss.weight",
    "a buffer that is no part of the state": "loss.other = nn.Buffer(x * 2, persistent=False); self.last = loss; "
    "return list(loss.state_dict()), x",
    "a parameter": "loss.scale = nn.Parameter(x.detach()); return loss(x) * loss.scale.sum()",
}


@pytest.mark.parametrize("body", OUTLIVES.values(), ids=OUTLIVES)
def test_what_outlives_the_call_is_what_it_is(tmp_path: Any, body: str) -> None:
    compare(load(tmp_path, LOSS + KINDS.format(body=body)), calls(), False)


def test_a_method_has_its_function(tmp_path: Any) -> None:
    """Dynamo says of methods that they have no `__func__`."""
    body = "return hasattr(loss.chosen, '__func__') and getattr(loss.chosen, '__self__', None) is loss, loss(x)"
    compare(load(tmp_path, LOSS + KINDS.format(body=body)), calls()[:2], False)
