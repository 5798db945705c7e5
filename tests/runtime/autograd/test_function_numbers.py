"""Numbers, truth values and effects in the forward passes of autograd functions."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

FUNCTION = """
    import logging
    import warnings
    import torch
    from torch.utils.checkpoint import checkpoint

    class Function(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            {forward}
        @staticmethod
        def backward(ctx, gradient):
            {backward}

    def f(x):
        {use}
    """
HALF = "return gradient * 0.5"
USE = "return Function.apply(x * 2) + 1"
WHOLE = {
    "a truth value that is kept": ("ctx.big = bool(x.abs().max() > 1)", "return x.round()"),
    "a number that is kept": ("ctx.scale = x.abs().max().item()", "return x / ctx.scale"),
    "a number in a size": ("count = int((x > 0).sum().item())", "return x * count"),
    "a print": ("print('largest', x.abs().max().item())", "return x.round()"),
    "a print behind a computation": ("y = x.round()", "print(f'{y.sum().item():.1f}')", "return y"),
    "a log record": ("logging.getLogger('f').warning('mean %.2f', x.mean().item())", "return x.round()"),
    "a warning": ("warnings.warn(f'mean {x.mean().item():.2f}')", "return x.round()"),
}
BACKWARD = {
    "a truth value that is kept": "return gradient * 0.5 if ctx.big else gradient",
    "a number that is kept": "return gradient / ctx.scale",
}


def program(forward: tuple[str, ...], backward: str = HALF, use: str = USE) -> str:
    parts = {"forward": ("\n" + 12 * " ").join(forward), "backward": backward, "use": use}
    return FUNCTION.format(**parts)


def inputs() -> list[Any]:
    def of(scale: float) -> Any:
        return lambda: (torch.arange(-3.0, 5.0).reshape(2, 4).mul_(scale).requires_grad_(),)

    return [of(1.0), of(-2.0), of(3.0)]


@pytest.mark.parametrize("name", WHOLE)
def test_whole(tmp_path: Any, name: str) -> None:
    text = program(WHOLE[name], BACKWARD.get(name, HALF))
    outcome = compare(load(tmp_path, text), inputs())
    assert outcome.report["callables"][0]["mode"] == "whole"


def test_both_truth_values(tmp_path: Any) -> None:
    """Each is a graph of its own, and a value that is met once has none."""
    name = "a truth value that is kept"
    others = [lambda: (torch.full((2, 4), 0.1).requires_grad_(),)] * 3
    compare(load(tmp_path, program(WHOLE[name], BACKWARD[name])), [*inputs(), *others])


LEFT = {
    "a tensor that is shown": program(("print('x', x)", "return x.round()")),
    "a print of a backward pass": program(
        ("return x.round()",), "print('norm', gradient.norm().item()); return gradient"
    ),
    "a print of a checkpoint": program(
        ("return x.round()",),
        use="return checkpoint(lambda x: (print(x.sum().item()), x.sin())[1], x, use_reentrant=False)",
    ),
    "a number of a tensor that the pass writes to": program(
        ("seen.add_(1)", "print(seen.item())", "return x * seen.item()"), use="return Function.apply(x * 2) + seen"
    ).replace("    class Function", "    seen = torch.zeros(())\n\n    class Function", 1),
    "a tensor that changes before the backward pass": program(
        ("return x.round()",),
        "print(seen.item()); return gradient * seen.item()",
        "y = Function.apply(x * 2); seen.add_(1); return y",
    ).replace("    class Function", "    seen = torch.zeros(())\n\n    class Function", 1),
    "a write between": program(("y = x.clone()", "y.add_(1)", "print(y.sum().item())", "y.add_(1)", "return y")),
}


@pytest.mark.parametrize("name", LEFT)
def test_as_written(tmp_path: Any, name: str) -> None:
    """What cannot be told in front of the function stays in Python, with the same results and texts."""
    compare(load(tmp_path, LEFT[name]), inputs())


def test_order_of_effects(tmp_path: Any) -> None:
    text = program(
        ("print('in', x.sum().item())", "return x.round()"),
        use="print('before'); y = Function.apply(x); print('after', y.sum().item()); return y",
    )
    outcome = compare(load(tmp_path, text), inputs())
    assert outcome.report["callables"][0]["mode"] == "whole"


NESTED = """
    import torch

    class Solve(torch.autograd.Function):
        @staticmethod
        def forward(ctx, matrix, right):
            used = matrix
            if matrix.diagonal().min() < 1:
                used = matrix + 2 * torch.eye(2)
            ctx.save_for_backward(matrix{saved})
            return torch.linalg.solve(used, right)
        @staticmethod
        def backward(ctx, gradient):
            matrix, *others = ctx.saved_tensors
            return None, {gradient}

    def f(x, y):
        return Solve.apply(x, y * 2) + 1
    """


@pytest.mark.parametrize(
    "saved, gradient, whole",
    [
        ("", "Solve.apply(matrix, gradient)", True),
        (", right", "Solve.apply(matrix, gradient) * others[0].sum()", True),
        ("", "Solve.apply(gradient @ gradient.mT, gradient)", False),
    ],
)
@pytest.mark.parametrize("scales", [(3.0, 4.0), (3.0, 0.5)])
def test_decisions_of_a_function_that_a_backward_pass_calls(
    tmp_path: Any, saved: str, gradient: str, whole: bool, scales: tuple[float, float]
) -> None:
    """A decision on saved tensors is made in front, if it stays the same; one on the gradient is not."""
    text = NESTED.format(saved=saved, gradient=gradient)
    calls = [
        lambda scale=scale: (torch.eye(2) * scale, torch.ones(2, 2, requires_grad=True))  # type: ignore[misc]
        for scale in scales
    ]
    outcome = compare(load(tmp_path, text), calls)
    if min(scales) > 1:
        assert (outcome.report["callables"][0]["mode"] == "whole") is whole
