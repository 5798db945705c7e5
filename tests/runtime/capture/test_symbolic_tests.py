"""Conditions on sizes that are symbols, because calls come with different ones."""

from __future__ import annotations

from typing import Any, Callable

import pytest
import torch
from harness import compare

import graphmend.runtime as _gm

SITE = "m.py:1:0:GM101"


def conjunction(x: torch.Tensor) -> Any:
    if _gm.on(SITE):
        return _gm.and_(SITE, lambda: x.dim() == 1, lambda: x.shape[0] > 1, lambda: x.shape[0] > 2 * x.dim())
    return x.dim() == 1 and x.shape[0] > 1 and x.shape[0] > 2 * x.dim()


def disjunction(x: torch.Tensor) -> Any:
    if _gm.on(SITE):
        return _gm.or_(SITE, lambda: x.dim() > 1, lambda: x.shape[0] == 3, lambda: _gm.not_(SITE, x.shape[0] > 2))
    return x.dim() > 1 or x.shape[0] == 3 or not x.shape[0] > 2


def with_data(x: torch.Tensor) -> Any:
    if _gm.on(SITE):
        return _gm.and_(SITE, lambda: x.shape[0] > 1, lambda: x.sum() > 20, lambda: x.shape[0] > 4)
    return x.shape[0] > 1 and x.sum() > 20 and x.shape[0] > 4


@pytest.mark.parametrize(("test", "graphs"), [(conjunction, 2), (disjunction, 2), (with_data, 2)])
def test_lengths_that_change_share_graphs(test: Callable[[torch.Tensor], Any], graphs: int) -> None:
    """The second length makes them symbols; from then on there is a graph for each way, not one for each length."""

    def f(x: torch.Tensor) -> torch.Tensor:
        found = test(x)
        if _gm.on(SITE):
            return _gm.branch(SITE, found, lambda x: x * 2, lambda x: x - 1, (x,))
        return x * 2 if found else x - 1

    def tensor(length: int) -> Callable[[], tuple]:
        return lambda: (torch.arange(float(length)),)

    assert compare(lambda: f, [tensor(length) for length in (5, 6, 7, 8, 9, 10, 11)]).graphs == graphs
