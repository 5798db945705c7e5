"""Five functions with a branch on data, as models have them, each beside the one graph that an expert writes for it.

bench/branches.py loads this file twice, as it stands and mended, and measures both against the versions by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn import functional as F

Function = Callable[..., Any]


class Pair(NamedTuple):
    """A function with a branch, its version by hand, and what they are called with.

    `by_hand` gets `torch.compile`. The calls with `usual` are timed; `others` go the ways that those do not go.
    """

    title: str
    written: Function
    by_hand: Callable[[Function], Function]
    usual: tuple[torch.Tensor, ...]
    others: list[tuple[torch.Tensor, ...]]


def one_graph(function: Function) -> Callable[[Function], Function]:
    """A version by hand that is compiled as a whole."""
    return lambda compile: compile(function)


def with_flag(function: Function, message: str) -> Callable[[Function], Function]:
    """A version by hand whose graph gives its result and whether that is valid."""

    def make(compile: Function) -> Function:
        compiled = compile(function)

        def checked(*args: torch.Tensor) -> torch.Tensor:
            result, valid = compiled(*args)
            if not valid:
                raise ValueError(message)
            return result

        return checked

    return make


def numbers(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


# A feed-forward block that clamps its result when it has overflowed, as the encoder layers of BART and T5 do.

WIDE = numbers(512, 128, seed=1) / 128**0.5
NARROW = numbers(128, 512, seed=2) / 512**0.5


def overflow_clamp(x: torch.Tensor) -> torch.Tensor:
    h = x + F.linear(F.gelu(F.linear(F.layer_norm(x, (128,)), WIDE)), NARROW)
    if torch.isinf(h).any() or torch.isnan(h).any():
        limit = torch.finfo(h.dtype).max - 1000
        h = torch.clamp(h, min=-limit, max=limit)
    return h


def overflow_clamp_by_hand(x: torch.Tensor) -> torch.Tensor:
    h = x + F.linear(F.gelu(F.linear(F.layer_norm(x, (128,)), WIDE)), NARROW)
    limit = torch.finfo(h.dtype).max - 1000
    overflowed = torch.isinf(h).any() | torch.isnan(h).any()
    return torch.where(overflowed, torch.clamp(h, min=-limit, max=limit), h)


# A gate whose scale depends on the mean.


def scale_by_mean(x: torch.Tensor) -> torch.Tensor:
    if x.mean() > 0:
        y = x * 0.5
    else:
        y = x * 2.0
    return torch.sigmoid(y) * x


def scale_by_mean_by_hand(x: torch.Tensor) -> torch.Tensor:
    scale = torch.where(x.mean() > 0, 0.5, 2.0)
    return torch.sigmoid(x * scale) * x


# An update that is returned early when its norm is small enough.

LIMIT = 300.0


def clip_by_norm(x: torch.Tensor) -> torch.Tensor:
    update = torch.tanh(x)
    norm = update.norm()
    if norm <= LIMIT:
        return update
    return update * (LIMIT / norm)


def clip_by_norm_by_hand(x: torch.Tensor) -> torch.Tensor:
    update = torch.tanh(x)
    return update * (LIMIT / update.norm()).clamp(max=1.0)


# A guard in front of a normalisation. By hand, the flag leaves the graph and is looked at behind it.

MESSAGE = "the input has values that are not finite"


def finite_guard(x: torch.Tensor) -> torch.Tensor:
    if not torch.isfinite(x).all():
        raise ValueError(MESSAGE)
    h = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
    return torch.softmax(h, -1)


def finite_guard_and_flag(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    h = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
    return torch.softmax(h, -1), torch.isfinite(x).all()


# Attention that fills its scores only where there is something to hide.


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(numbers(192, 64, seed=3) / 8, requires_grad=False)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        query, key, value = F.linear(x, self.weight).chunk(3, -1)
        scores = query @ key.transpose(-1, -2) / 8
        if mask.any():
            scores = scores.masked_fill(mask, -1e9)
        return torch.softmax(scores, -1) @ value


class AttentionByHand(Attention):
    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        query, key, value = F.linear(x, self.weight).chunk(3, -1)
        scores = query @ key.transpose(-1, -2) / 8
        return torch.softmax(scores.masked_fill(mask, -1e9), -1) @ value


def pairs() -> list[Pair]:
    """All of them, with the same numbers in every call."""
    rows, wide = numbers(256, 128), numbers(512, 512)
    infinite, broken = rows.clone(), wide.clone()
    infinite[3, 5], broken[3, 5] = float("inf"), float("nan")
    padding = (torch.arange(128) >= 100).expand(8, 128, 128).contiguous()
    tokens = numbers(8, 128, 64)
    mask_calls = (tokens, padding), [(tokens, torch.zeros_like(padding))]
    return [
        Pair("overflow clamp", overflow_clamp, one_graph(overflow_clamp_by_hand), (rows,), [(infinite,)]),
        Pair("scale by mean", scale_by_mean, one_graph(scale_by_mean_by_hand), (wide + 0.1,), [(wide - 0.1,)]),
        Pair("early return", clip_by_norm, one_graph(clip_by_norm_by_hand), (wide * 0.1,), [(wide,)]),
        Pair("guard that raises", finite_guard, with_flag(finite_guard_and_flag, MESSAGE), (wide,), [(broken,)]),
        Pair("mask fill", Attention(), one_graph(AttentionByHand()), *mask_calls),
    ]


# Next to no work, for the time that a guard takes.


def tiny(x: torch.Tensor) -> torch.Tensor:
    return x * 2.0


def tiny_guard(x: torch.Tensor) -> torch.Tensor:
    if not torch.isfinite(x).all():
        raise ValueError(MESSAGE)
    return x * 2.0


def tiny_and_flag(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return x * 2.0, torch.isfinite(x).all()
