"""Tables of embeddings: copied in front of a call only where looking rows up changes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

import pytest
import torch
from harness import compare, load

MODEL = """
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.table = torch.nn.{kind}(50, 4{options})

    def forward(self, x, most):
        y = self.table(x)
        if y.isnan().any() or y.sum() > most:
            raise ValueError("too much")
        return y * 2


def make():
    return Model()
"""


def program(folder: Path, kind: str, options: str) -> Callable[[], Any]:
    return load(folder, MODEL.format(kind=kind, options=options))


@pytest.mark.parametrize("kind", ["Embedding", "EmbeddingBag"])
@pytest.mark.parametrize(("options", "copies"), [("", 0), (", padding_idx=1", 0), (", max_norm=0.5", 1)])
def test_what_a_checked_call_copies(tmp_path: Path, kind: str, options: str, copies: int) -> None:
    with torch.no_grad():
        function = torch.compile(program(tmp_path, kind, options)(), backend="eager")
        places = torch.arange(6).reshape(2, 3)
        function(places, 1000.0)
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
            function(places, 1000.0)
    assert sum(row.count for row in profile.key_averages() if row.key == "aten::clone") == copies


@pytest.mark.parametrize("kind", ["Embedding", "EmbeddingBag"])
@pytest.mark.parametrize("options", ["", ", max_norm=0.5", ", max_norm=2.0, norm_type=1.0"])
def test_rows_after_a_call_that_is_run_again(tmp_path: Path, kind: str, options: str) -> None:
    calls = [lambda most=most: (torch.arange(6).reshape(2, 3) * 5, most) for most in (1000.0, -1000.0, 1000.0)]
    compare(program(tmp_path, kind, options), calls, grad=False)
