"""What is shown later, and functions that write in place where an argument tells them to, by position or by name."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from harness import compare, load

PROGRAM = """
import operator
import torch
import torch.nn.functional as F

layer = {layer}


def f(x):
    y = x * 2
    print(y)
    first = y[0, 0, 0].item()
    z = {expression}
    print(z.sum() > 0)
    return z, first


def make():
    return f
"""

WRITING = [
    "layer(y)",
    "F.hardsigmoid(y, True)",
    "F.hardsigmoid(y, inplace=True)",
    "F.dropout(y, 0.5, True, True)",
    "F.dropout1d(y, 0.5, True, True)",
    "F.dropout2d(y[None], 0.5, True, True)",
    "F.dropout3d(y[None, None], 0.5, True, True)",
    "F.alpha_dropout(y, 0.5, True, True)",
    "F.feature_alpha_dropout(y, 0.5, True, True)",
    "F.rrelu(y, 0.1, 0.3, True, True)",
    "F.rrelu(y, 0.1, 0.3, False, True)",
    "F.threshold(y, 0.1, 20.0, True)",
    "F.celu(y, 1.0, True)",
    "F.hardtanh(y, -0.5, 0.5, True)",
    "F.normalize(y, 2.0, 1, 1e-12, y)",
    "torch.add(y, 1, out=y)",
    "torch.clamp_(y, 0, 0.5)",
    "operator.iadd(y, 1)",
    "y.__imul__(3)",
    "y.view(-1).mul_(2).view(3, 3, 2)",
]


@pytest.mark.parametrize("expression", WRITING)
def test_shown_as_it_was(tmp_path: Path, expression: str) -> None:
    make = load(tmp_path, PROGRAM.format(expression=expression, layer="torch.nn.Hardsigmoid(inplace=True)"))
    compare(make, [lambda seed=seed: (values(seed),) for seed in (1, 2)], grad=False)


def values(seed: int) -> torch.Tensor:
    return torch.randn(3, 3, 2, generator=torch.Generator().manual_seed(seed))


READING = ["operator.and_(m, k)", "operator.or_(m, k)", "operator.xor(m, k)", "m & k", "F.relu(y, False)", "y.sub(1)"]
READING += ["F.dropout(y, 0.5, False)", "F.hardsigmoid(y, False)", "operator.is_(m, k) or y"]


@pytest.mark.parametrize("expression", READING)
def test_nothing_is_copied_for_what_only_reads(tmp_path: Path, expression: str) -> None:
    text = PROGRAM.replace("    first", "    m, k = y > 0, y > 1\n    first")
    function = torch.compile(load(tmp_path, text.format(expression=expression, layer=None))(), backend="eager")
    with torch.no_grad():
        function(values(1))
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
            function(values(2))
    assert not [row for row in profile.key_averages() if row.key == "aten::clone"]


RESIZED = """
import torch


def f(x, out):
    torch.mean(x, 0, out=out)
    if x.sum() > 0:
        raise ValueError("stop")
    return out * 2
"""


@pytest.mark.filterwarnings("ignore")
def test_a_result_that_was_resized_by_a_call_that_is_run_again(tmp_path: Path) -> None:
    make = load(tmp_path, RESIZED)
    inputs = [torch.ones(3, 4) * sign for sign in (-1.0, 1.0, -1.0, 1.0)]
    compare(make, [lambda x=x: (x.clone(), torch.zeros(2, 2)) for x in inputs], grad=False)
