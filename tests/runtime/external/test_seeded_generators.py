"""Random generators of NumPy, Python and torch that a call makes from a seed."""

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
    "torch": "y = x + torch.randn(x.shape, generator=torch.Generator().manual_seed(3))",
    "torch twice": "g = torch.Generator(); y = torch.rand(3, generator=g), torch.rand((3,), generator=g)",
    "torch order": "y = x[torch.randperm(3, generator=torch.Generator(x.device).manual_seed(42))]",
    "torch integers": "g = torch.Generator()\n    g.manual_seed(1)\n"
    "    y = torch.randint(0, 3, (0, 2), generator=g), x[torch.randint(high=3, size=(2,), generator=g)]",
    "torch device": "g = torch.Generator().manual_seed(3)\n"
    "    y = torch.randn(x.shape, generator=g, device=g.device, dtype=x.dtype, layout=torch.strided), g.device.type",
    "torch written": "y = torch.rand(3, generator=torch.Generator()).add_(1)",
    "python": "r = random.Random(3)\n    y = x * r.gauss(0, 1), r.randint(1, 9), r.uniform(2, 3)",
    "python order": "a = b = [x, x * 2, x * 3]\n    random.Random(1).shuffle(a)\n    y = b, a is b",
    "python items": "r = random.Random(2)\n    y = r.choice('abc'), r.sample([x, -x], 2), r.choices((1, 2), k=3)",
}
OTHERWISE = {
    "leaves": "y = np.random.RandomState(1).rand",
    "kept": "f.rng = np.random.default_rng(1)\n    y = f.rng.random()",
    "data": "y = np.random.RandomState(abs(int(x.sum()))).rand(2).tolist()",
    "shuffled": "a = x.numpy().copy()\n    np.random.RandomState(1).shuffle(a)\n    y = a.tolist()",
    "raises": "y = np.random.RandomState(1).choice(2, 5, replace=False)",
    "torch kept": "f.g = torch.Generator()\n    y = torch.rand(2, generator=f.g)",
    "torch in place": "y = x.detach().clone().normal_(generator=torch.Generator())",
    "torch seed of data": "y = torch.rand(2, generator=torch.Generator().manual_seed(int(x.sum() > 0)))",
    "torch branch": "y = torch.rand(3, generator=torch.Generator()) if x.sum() > 0 else x * 2",
    "python state": "r = random.Random(1); s = r.getstate(); y = r.random(); r.setstate(s); y = y, r.random()",
    "python raises": "y = random.Random(1).choice([1][1:] or [2]), len(random.Random(1).sample([x], 1))",
    "python kept": "f.r = random.Random(1)\n    y = f.r.random()",
    "branch": "rng = np.random.RandomState(1)\n    y = x * rng.rand() if x.sum() > 0 else x\n    y = y + rng.rand()",
}
CALLS = [lambda: (torch.tensor([1.0, 2.0, 3.0]),), lambda: (torch.tensor([-1.0, 0.5, 0.0]),)]


def text(body: str) -> str:
    """A program with a body."""
    return f"import numpy as np, random, torch\ndef f(x):\n    {body}\n    return y, x * 2\n"


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("name", MENDED)
def test_seeded_numbers_are_part_of_the_graph(tmp_path: Any, name: str, backend: str) -> None:
    outcome = compare(load(tmp_path, text(MENDED[name])), CALLS, True, backend)
    assert outcome.graphs == 1
    assert outcome.report["callables"][0]["mode"] == "whole"


@pytest.mark.parametrize("size", ["x.shape[0]", "(x.shape[0], 2)", "x.shape", "x.size()"])
def test_sizes_of_inputs_are_constants_of_the_graph(tmp_path: Any, size: str) -> None:
    body = f"y = torch.randn({size}, generator=torch.Generator().manual_seed(3))"
    calls = [lambda n=n: (torch.ones(n),) for n in (3, 4, 5)]
    outcome = compare(load(tmp_path, text(body)), calls)
    assert outcome.report["callables"][0]["mode"] == "whole" and outcome.graphs == 3


SEEDED = {
    "numpy": "torch.from_numpy(np.random.RandomState(seed).rand(3))",
    "numpy new": "torch.from_numpy(np.random.default_rng(seed + 1).normal(size=3))",
    "python": "random.Random(seed).random()",
    "torch": "torch.rand(3, generator=torch.Generator().manual_seed(seed))",
    "arguments": "np.random.RandomState(1).randint(0, seed + 1)",
}


@pytest.mark.parametrize("name", SEEDED)
def test_a_seed_that_is_an_argument(tmp_path: Any, name: str) -> None:
    program = f"import numpy as np, random, torch\ndef f(x, seed):\n    return x * 2, {SEEDED[name]}\n"
    calls = [lambda n=n: (torch.ones(3), n) for n in (3, 5, 7)]
    outcome = compare(load(tmp_path, program), calls)
    assert outcome.report["callables"][0]["mode"] == "whole" and outcome.graphs == 3


def test_a_seed_that_counts_calls_is_left_to_python(tmp_path: Any) -> None:
    program = "import torch\ndef f(x, n):\n    return x * torch.rand(3, generator=torch.Generator().manual_seed(n))\n"
    outcome = compare(load(tmp_path, program), [lambda n=n: (torch.ones(3), n) for n in range(12)], False)
    assert outcome.graphs < 10


@pytest.mark.parametrize("name", OTHERWISE)
def test_other_generators_are_left_to_python(tmp_path: Any, name: str) -> None:
    program = text(OTHERWISE[name]).replace("return y,", "return y if name != 'leaves' else y(2).tolist(),")
    compare(load(tmp_path, program.replace("name != 'leaves'", repr(name) + " != 'leaves'")), CALLS, False)
