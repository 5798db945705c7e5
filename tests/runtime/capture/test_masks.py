"""Masks that a call is given: copied in front of it only where it writes to them."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from harness import compare, load

TEXT = """
import operator

import torch


def f(x, mask):
    other = x > 0
    {body}
    y = torch.where(used, x, 0.0)
    if y.isnan().any() or y.sum() > 100:
        raise ValueError("too much")
    return y * 2
"""


@pytest.mark.parametrize(
    ("body", "copies"),
    [
        ("used = mask & other", 0),
        ("used = mask | other", 0),
        ("used = operator.and_(mask, other)", 0),
        ("used = ~mask", 0),
        ("mask &= other; used = mask", 1),
        ("mask |= other; used = mask", 1),
        ("used = operator.iand(mask, other)", 1),
        ("used = mask.logical_and_(other)", 1),
    ],
)
def test_what_a_checked_call_copies(tmp_path: Path, body: str, copies: int) -> None:
    make = load(tmp_path, TEXT.format(body=body))
    rows = [
        lambda value=value: (torch.tensor([value, -1.0, 2.0]), torch.tensor([True, False, True]))
        for value in (1.0, 200.0)
    ]
    compare(make, rows, grad=False)
    torch._dynamo.reset()
    with torch.no_grad():
        function = torch.compile(make(), backend="eager")
        function(*rows[0]())
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
            function(*rows[0]())
    assert sum(row.count for row in profile.key_averages() if row.key == "aten::clone") == copies
