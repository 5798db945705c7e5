"""Lists of numbers that data decide, as arguments of torch and NumPy: as in eager Python, and one graph."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from harness import compare, load

START = "import collections\nimport statistics\n\nimport numpy as np\nimport torch\n"
ROW = "v = [t.item() for t in x[0]]"
FORMS = {
    "tensor": "torch.tensor(v), torch.tensor(v).mean()",
    "precision": "torch.tensor(v, dtype=torch.float64), torch.as_tensor(v, dtype=torch.bfloat16)",
    "rows": "torch.tensor([v, v]), torch.as_tensor([(v[0], 1), (2, v[1])])",
    "beside_others": "torch.tensor((v[0], 2, True)), torch.asarray([v[0]])",
    "like": "x.double().new_tensor(v), x.new_tensor([v])",
    "shares": "torch.tensor([a / (abs(sum(v)) + 1) for a in v])",
    "mean": "np.mean(v), float(np.std(v)), np.median(v)",
    "quantiles": "np.percentile(v, 50), np.quantile(v, 0.5), torch.from_numpy(np.percentile(v, [25, 75]))",
    "array": "np.array(v).max(), *map(torch.from_numpy, (np.array(v, dtype=np.float32), np.asarray(v, dtype=int)))",
    "pairs": "*map(torch.from_numpy, (np.array([(a, 1) for a in v]), np.mean([[a, 2] for a in v], axis=0))),",
    "weights": "np.average(v, weights=[1, 2, 3]), np.max(v), np.ptp(v)",
    "order": "np.argmax(v), *map(torch.from_numpy, (np.argsort(v), np.cumsum(v), np.array(v)[::-1].copy()))",
    "table": "np.mean(list({k: a for k, a in zip('abc', v)}.values()))",
    "integers": "np.max([int(a) for a in v]), torch.from_numpy(np.cumsum([2, int(v[1])]))",
    "integers_array": "torch.from_numpy(np.array([int(v[0]), 3]))",
    "shapes": "torch.from_numpy(np.ones([2, 3]).reshape([int(abs(v[0])) * 0 + 3, 2]))",
    "clipped": "int(np.clip(int(v[0]) - 2, 0, 3))",
    "clipped_list": "[int(n) for n in np.clip([int(v[0]) - 2, int(v[1]) + 2], -1, 2)]",
    "types": "np.maximum(int(v[0]), 2), np.add(int(v[0]), v[1])",
    "types_beside_arrays": "torch.from_numpy(np.add(np.ones(2, np.float32), int(v[0])))",
    "queue": "statistics.fmean(collections.deque(v, maxlen=2)), statistics.mean(v)",
}
CALLS = [lambda: (torch.ones(2, 3),), lambda: (torch.randn(2, 3),), lambda: (torch.zeros(2, 3),)]


@pytest.mark.parametrize("name", FORMS)
def test_forms(tmp_path: Path, name: str) -> None:
    result = compare(
        load(tmp_path, f"{START}\ndef f(x):\n    {ROW}\n    return x + 1, {FORMS[name]}\n"), CALLS, grad=False
    )
    assert result.graphs == 1


# Dynamo's own quantile of a whole array has one dimension too many.
OF_ARRAYS = {
    "one": "np.percentile(a, 30), np.quantile(a, 0.5), np.percentile(a, np.array(30))",
    "axis": "*map(torch.from_numpy, (np.percentile(a, 30, axis=0), np.quantile(a, [0.5, 1], axis=1))),",
}


@pytest.mark.parametrize("name", OF_ARRAYS)
def test_quantiles_of_arrays(tmp_path: Path, name: str) -> None:
    text = f"{START}\ndef f(x):\n    a = x.double().numpy()\n    return x + 1, {OF_ARRAYS[name]}\n"
    compare(load(tmp_path, text), CALLS, grad=False)
