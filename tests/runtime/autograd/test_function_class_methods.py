"""Functions with a derivative of their own whose passes are class methods."""

from __future__ import annotations

from typing import Any

import torch
from harness import compare, load

SPARSE = """
    import torch

    class Sparse(torch.autograd.Function):
        scale = 2.0

        @classmethod
        def forward(cls, ctx, x, dim=-1):
            ctx.dim = dim
            y = cls.scale * (x - x.max(dim=dim, keepdim=True)[0] + 1).clamp(min=0)
            ctx.save_for_backward(y)
            return y

        @classmethod
        def backward(cls, ctx, gradient):
            y, = ctx.saved_tensors
            return cls.scale * gradient * (y > 0).sum(ctx.dim, keepdim=True), None

    class Wider(Sparse):
        scale = 3.0

    def f(x):
        y = Sparse.apply(x, 0) + Wider.apply(x)
        print(f"share of zeros: {(y == 0).float().mean().item():.2f}")
        return y
    """


def inputs() -> Any:
    return (torch.arange(6.0).reshape(2, 3) / 4,)


def test_class_methods(tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, SPARSE), [inputs])
    assert outcome.report["callables"][0]["mode"] == "whole"


def test_a_class_attribute_that_changes(tmp_path: Any) -> None:
    text = f"""{SPARSE[: SPARSE.index("def f(x)")]}def f(x):
        Wider.scale += 1.0
        return Wider.apply(x)
    """
    compare(load(tmp_path, text), [inputs, lambda: (torch.ones(2, 3),)])


def test_pass_that_calls_the_pass_of_its_base(tmp_path: Any) -> None:
    text = f"""{SPARSE[: SPARSE.index("class Wider")]}class Wider(Sparse):
        scale = 3.0

        @classmethod
        def forward(cls, ctx, x):
            return super().forward(ctx, x, dim=0)

        @classmethod
        def backward(cls, ctx, gradient):
            return super().backward(ctx, gradient)[:1]

    def make():
        model = torch.nn.Linear(3, 3)
        return lambda x: Wider.apply(model(x))
    """
    outcome = compare(load(tmp_path, text), [inputs])
    assert outcome.report["callables"][0]["mode"] == "whole"
