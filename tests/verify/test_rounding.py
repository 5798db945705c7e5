"""Operators that round by chance, to measure how far rounding alone moves a value."""

from __future__ import annotations

from typing import Any

import torch

from graphmend.verify.rounding import Rounding


def loss_of(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.gelu(x @ weight).float().square().mean()


def test_each_operator_rounds_in_its_own_type() -> None:
    """A mean in float32 of bfloat16 numbers moves by far less than a unit of bfloat16."""
    generator = torch.Generator().manual_seed(1)
    x, weight = (torch.randn(64, 64, generator=generator) for _ in range(2))
    moved = {}
    for dtype in (torch.bfloat16, torch.float32):
        right = loss_of(x.to(dtype), weight.to(dtype))
        with Rounding(0):
            other = loss_of(x.to(dtype), weight.to(dtype))
        moved[dtype] = abs(other - right).item() / right.item()
    assert 0 < moved[torch.float32] < 2.0**-20 < moved[torch.bfloat16] < 2.0**-9


def test_runs_round_in_their_own_ways() -> None:
    x = torch.linspace(0.1, 0.9, 8)

    def moved(number: int) -> torch.Tensor:
        with Rounding(number):
            return x * 1.5

    assert torch.equal(moved(0), moved(0))
    assert not torch.equal(moved(0), moved(1))


def test_what_is_exact_stays() -> None:
    """Arguments, views of them, masks, counts, fills, and the numbers that the program draws."""
    x = torch.linspace(0.1, 0.9, 8)
    before, state = x.clone(), torch.get_rng_state()
    drawn = torch.rand(4)
    torch.set_rng_state(state)
    with Rounding(0):
        view = x.view(2, 4)
        mask = (x > 0.5).float() + torch.zeros(8)
        limit = torch.where(mask.bool(), x.new_full((8,), -1e9), x.new_tensor(float("inf")))
        again = torch.rand(4)
    assert torch.equal(x, before) and torch.equal(view.flatten(), before)
    assert set(mask.tolist()) == {0.0, 1.0} and set(limit.tolist()) == {-1e9, float("inf")}
    assert torch.equal(drawn, again)


def test_gradients_and_writes() -> None:
    """Backward goes through moved values, and a write in place moves as well."""
    weight = torch.full((4,), 0.3, requires_grad=True)
    with Rounding(0) as rounding:
        loss = (weight * 0.7).sum()
        count = torch.full((4,), 0.25)
        count.mul_(0.3)
    loss.backward()
    assert weight.grad is not None and torch.allclose(weight.grad, torch.full((4,), 0.7))
    assert not torch.equal(count, torch.full((4,), 0.25).mul_(0.3)) and torch.allclose(count, torch.full((4,), 0.075))
    before = weight.grad.clone()
    rounding.move_gradients([weight.grad])
    assert not torch.equal(weight.grad, before) and torch.allclose(weight.grad, before)


class Boxed(torch.Tensor):
    """A tensor that keeps its numbers in another one, as distributed and quantised tensors do."""

    inner: torch.Tensor

    @staticmethod
    def __new__(cls, inner: torch.Tensor) -> Boxed:
        made: Boxed = torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)
        made.inner = inner
        return made

    @classmethod
    def __torch_dispatch__(cls, operator: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        opened = [arg.inner if isinstance(arg, Boxed) else arg for arg in args]
        return Boxed(operator(*opened, **(kwargs or {})))


def test_what_a_subclass_computes_moves() -> None:
    x = torch.linspace(0.1, 0.9, 8)
    with Rounding(0):
        result = Boxed(x) * 1.5
    assert isinstance(result, Boxed)
    assert not torch.equal(result.inner, x * 1.5) and torch.allclose(result.inner, x * 1.5)
