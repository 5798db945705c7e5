"""Numbers of the data in lists that the program searches."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

TEXT = """
    import torch

    def f(x):
        counts = (x > 0).sum(-1).tolist()
        largest = x.amax(-1).tolist()
        flags = (x > 0).any(-1).tolist()
        {body}
        return x + 1, found
    """
BODIES = {
    "index": "found = counts.index(0) if 0 in counts else -1",
    "index of a fraction": "found = largest.index(2.0) if 2.0 in largest else -2",
    "index of a truth": "found = flags.index(False) if False in flags else 7",
    "count": "found = counts.count(2), flags.count(True)",
    "remove": "counts.remove(2); found = counts[0] + 1",
    "dictionaries": "found = {1: counts[0]} == {1: 2}",
}
CALLS = [[[1.0, 2.0], [-1.0, -1.0]], [[1.0, 2.0], [1.0, -1.0]], [[float("nan"), 3.0], [1.0, 2.0]]]


@pytest.mark.parametrize("name", BODIES)
def test_search(tmp_path: Any, name: str) -> None:
    calls = [lambda rows=rows: (torch.tensor(rows),) for rows in CALLS for _ in range(2)]
    outcome = compare(load(tmp_path, TEXT.format(body=BODIES[name])), calls)
    assert outcome.report["callables"][0]["mode"] == "whole", outcome.report["callables"][0]["reason"]
