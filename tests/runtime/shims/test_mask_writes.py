"""Writes through masks without dimensions: one graph, whatever the mask holds."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import BACKENDS, compare, load

BODIES = {
    "number": "g = x * 2; g[n == 0] = 0",
    "real_number": "g = x * 2; g[n == 0] = -1.5",
    "without_dimensions": "g = (x * 2).sum(); g[n == 0] = 0.0; g[g.isnan()] = 1.0",
    "integers": "g = (x * 2).long(); g[n == 0] = 7",
    "truths": "g = x > 0; g[n == 0] = True",
    "small_integers": "g = (x * 2).to(torch.int8); g[n == 0] = 100",
    "too_large": "g = (x * 2).to(torch.int8); g[n == 0] = 200",
    "real_into_integers": "g = (x * 2).long(); g[n == 0] = 2.75",
    "tensor": "g = x * 2; g[n == 0] = x.sum()",
    "row": "g = x * 2; g[n == 0] = x[0] + 1",
    "leading_ones": "g = x * 2; g[n == 0] = x[:1, None] + 1",
    "whole": "g = x * 2; g[n == 0] = x.flip(0)",
    "itself": "g = x * 2; g[n == 0] = g.flip(0)",
    "other_type": "g = x * 2; g[n == 0] = (n + 3)",
    "too_many_dimensions": "g = x * 2; g[n == 0] = x[None].expand(2, 2, 3)",
    "view": "g = x * 2; g[0][n == 0] = 5.0",
    "expanded": "g = x[:1].expand(2, 3); g[n == 0] = 5.0",
    "negation": "g = x * 2; g[~(n == 0)] = 5.0",
    "input": "g = x.detach(); g[n == 0] = 5.0",
    "in_a_tuple": "g = x * 2; g[(n == 0,)] = 5.0",
}
NOT_WHOLE = {"too_large", "real_into_integers", "other_type", "too_many_dimensions", "expanded", "in_a_tuple"}


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("backend", BACKENDS)
def test_everything_or_nothing_is_written(tmp_path: Any, name: str, backend: str) -> None:
    text = f"import torch\ndef f(x, n):\n    {BODIES[name]}\n    return g + 1 if g.dtype != torch.bool else g\n"
    calls = [
        lambda: (torch.arange(6.0).reshape(2, 3), torch.tensor(0)),
        lambda: (torch.arange(6.0).reshape(2, 3) + 1, torch.tensor(2)),
    ]
    outcome = compare(load(tmp_path, text), calls, backend=backend)
    if name not in NOT_WHOLE:
        assert outcome.graphs == 1
        assert outcome.report["callables"][0]["mode"] == "whole"
