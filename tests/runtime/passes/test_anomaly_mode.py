"""Anomaly mode, which looks at every function of a backward pass: the side not taken is not part of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

import pytest
import torch
from harness import load

BRANCH = """
import torch


def f(x):
    if x.sum() > 0:
        y = torch.log(x) * 2
    else:
        y = (x - x.detach()).abs().pow(1.5).exp() / x + x
    return y.sum()
"""

EXPRESSION = """
import torch


def f(x):
    y = x.sqrt() if x.min() > 0 else x.exp()
    z = 1 / x if x.abs().min() > 0 else y
    return (y * z).sum()
"""


def gradients(function: Callable[..., Any], values: list, everywhere: bool) -> Any:
    """The gradient under anomaly mode, or what is raised."""
    x = torch.tensor(values, requires_grad=True)
    try:
        with torch.autograd.set_detect_anomaly(everywhere):
            result = function(x)
        with torch.autograd.set_detect_anomaly(True):
            result.backward(create_graph=True)
        return x.grad.tolist()
    except RuntimeError as error:
        return str(error).partition("' ")[2]  # a compiled function has another name


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("program", [BRANCH, EXPRESSION])
def test_anomaly_mode(tmp_path: Path, program: str, backend: str) -> None:
    function = load(tmp_path, program)()
    compiled = torch.compile(function, backend=backend)
    for values in ([1.0, 2.0, 3.0], [0.0, -1.0, 0.0], [-1.0, -2.0, -4.0], [0.0, 1.0, 2.0]):
        for everywhere in (False, True):
            assert gradients(compiled, values, everywhere) == gradients(function, values, everywhere)


def test_what_raises_in_eager_raises(tmp_path: Path) -> None:
    program = (
        "import torch\n\ndef f(x):\n    y = (x - x.detach()).sqrt() * 0 if x.sum() > 0 else x * 2\n    return y.sum()\n"
    )
    function = load(tmp_path, program)()
    compiled = torch.compile(function, backend="eager")
    found = gradients(compiled, [1.0, 2.0], True)
    assert "nan" in found and found == gradients(function, [1.0, 2.0], True)
