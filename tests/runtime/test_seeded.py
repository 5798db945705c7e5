"""NumPy's random generators that a call makes from a seed."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

MENDED = {
    "choice": "rng = np.random.RandomState(0)\n    y = x[rng.choice(x.shape[0], 2, replace=False)]",
    "normal": "rng = np.random.default_rng(7)\n    y = x + torch.as_tensor(rng.normal(size=x.shape), dtype=x.dtype)",
    "twice": "rng = np.random.default_rng(seed=7)\n    y = x * rng.random() + torch.from_numpy(rng.permutation(3))",
    "keyword": "y = x + torch.from_numpy(np.random.RandomState(seed=3).rand(3)).float()",
    "two": "a, b = np.random.RandomState(1), np.random.RandomState(1)\n    y = x * a.uniform() - x * b.uniform()",
    "written": "d = np.random.RandomState(1).rand(3)\n    d[0] = 1\n    y = x * torch.from_numpy(d)",
}
OTHERWISE = {
    "leaves": "y = np.random.RandomState(1).rand",
    "kept": "f.rng = np.random.default_rng(1)\n    y = f.rng.random()",
    "data": "y = np.random.RandomState(abs(int(x.sum()))).rand(2).tolist()",
    "shuffled": "a = x.numpy().copy()\n    np.random.RandomState(1).shuffle(a)\n    y = a.tolist()",
    "raises": "y = np.random.RandomState(1).choice(2, 5, replace=False)",
    "branch": "rng = np.random.RandomState(1)\n    y = x * rng.rand() if x.sum() > 0 else x\n    y = y + rng.rand()",
}
CALLS = [lambda: (torch.tensor([1.0, 2.0, 3.0]),), lambda: (torch.tensor([-1.0, 0.5, 0.0]),)]


def text(body: str) -> str:
    """A program with a body."""
    return f"import numpy as np, torch\ndef f(x):\n    {body}\n    return y, x * 2\n"


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("name", MENDED)
def test_seeded_numbers_are_part_of_the_graph(tmp_path: Any, name: str, backend: str) -> None:
    outcome = compare(load(tmp_path, text(MENDED[name])), CALLS, True, backend)
    assert outcome.graphs == 1
    assert outcome.report["callables"][0]["mode"] == "whole"


@pytest.mark.parametrize("name", OTHERWISE)
def test_other_generators_are_left_to_python(tmp_path: Any, name: str) -> None:
    program = text(OTHERWISE[name]).replace("return y,", "return y if name != 'leaves' else y(2).tolist(),")
    compare(load(tmp_path, program.replace("name != 'leaves'", repr(name) + " != 'leaves'")), CALLS, False)
