"""Branch, deferred print and guard together, on every kind of backend."""

from __future__ import annotations

import pytest
import torch
from harness import compare

import graphmend.runtime as _gm

BACKENDS = ["eager", "aot_eager", "inductor"]


def mixed(x: torch.Tensor) -> torch.Tensor:
    x = x * 1.5
    if _gm.on("m.py:1:0:GM101"):

        def _gm_then(x):
            return (x * 2,)

        def _gm_else(x):
            return (x - 1,)

        (x,) = _gm.branch("m.py:1:0:GM101", x.sum() > 0, _gm_then, _gm_else, (x,))
    else:
        if x.sum() > 0:
            x = x * 2
        else:
            x = x - 1
    if _gm.on("m.py:2:0:GM301"):

        def _gm_sink__mixed(a):
            print("mean", round(float(a.mean()), 3))

        _gm.defer("m.py:2:0:GM301", _gm_sink__mixed, (x,))
    else:
        print("mean", round(float(x.mean()), 3))
    if _gm.on("m.py:3:0:GM401") and _gm.check("m.py:3:0:GM401", x.max() > 100):
        pass
    else:
        if x.max() > 100:
            raise ValueError(f"too large: {float(x.max()):.1f}")
    return x.cos()


CALLS = [
    lambda: (torch.tensor([1.0, 2.0]),),
    lambda: (torch.tensor([-1.0, -2.0]),),
    lambda: (torch.tensor([1000.0, -2.0]),),
]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("grad", [True, False])
def test_three_kinds_of_sites_are_one_graph(backend: str, grad: bool) -> None:
    outcome = compare(lambda: mixed, CALLS, grad, backend)
    assert outcome.graphs == 1
    assert outcome.mended("GM101") and outcome.mended("GM301") and outcome.mended("GM401")
