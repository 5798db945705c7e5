"""Deferred tensors with gradients: what is computed from a copy is deferred, what shows its history is not."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

from graphmend.runtime.capture.identity_guard import gives_another, shows_whole

WRITTEN = """
import torch

def f(x):
    y = x * 2
    v = y[0]
    {effect}
    y.add_(1)
    return y.sum() + v.sum()
"""
CHOSEN = """
import torch

def f(x):
    if x.sum() > 0:
        y = x * 2
    else:
        y = x.detach() - 1
    {effect}
    return y
"""
COMPUTED = [
    "print(y.sum(), v.mean())",
    "print(f'{y.abs().max():.3f}', y[0, 0].item(), (y > 0).sum())",
    "print(y[1:, 0], v[:2].sum())",
]
HISTORIES = [
    "print(y)",
    "print(v.flatten(), y.contiguous())",
    "print(type(y.grad_fn).__name__, y.is_leaf, y.requires_grad)",
    "print(f'{y}')",
    "print(v.stride(), y[:, ::2].is_contiguous())",
    "print([y], y.float())",
]
CALLS = [lambda: (torch.ones(2, 3),), lambda: (-torch.ones(2, 3),)]


@pytest.mark.parametrize("effect", COMPUTED)
def test_what_is_computed_is_deferred(tmp_path: Any, effect: str) -> None:
    assert compare(load(tmp_path, WRITTEN.format(effect=effect)), CALLS).mended("GM301")


@pytest.mark.parametrize("effect", HISTORIES)
def test_histories_are_not(tmp_path: Any, effect: str) -> None:
    compare(load(tmp_path, WRITTEN.format(effect=effect)), CALLS)


@pytest.mark.parametrize("effect", [text.replace("v", "y[0]") for text in (*COMPUTED, *HISTORIES)])
def test_chosen_tensors(tmp_path: Any, effect: str) -> None:
    compare(load(tmp_path, CHOSEN.format(effect=effect)), CALLS)


def test_schemas_tell_what_gives_another_tensor() -> None:
    assert all(map(gives_another, ["sum", "item", "argmax", "topk", "clone", "shape", "detach"]))
    names = ["flatten", "view", "contiguous", "to", "float", "cpu", "add_", "is_leaf", "grad_fn", "stride", "mine"]
    assert not any(map(gives_another, names))


def test_code_that_shows_its_parameter() -> None:
    computes = [
        lambda v: v.sum(),
        lambda v: v[0],
        lambda v: v[0, 1:],
        lambda v: v[1:3],
        lambda v: v > 0,
        lambda v: v**2,
    ]
    shows = [
        lambda v: v,
        lambda v: (v, 1),
        lambda v: v.flatten(),
        lambda v: [v][0],
        lambda v: v.grad_fn,
        lambda v: 2 * v,
    ]
    assert not any(shows_whole(one.__code__) for one in computes)
    assert all(shows_whole(one.__code__) for one in shows)
