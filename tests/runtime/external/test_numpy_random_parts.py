"""Random numbers of NumPy in calls that are compiled in parts."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

PROGRAM = """
    import numpy as np
    import torch
    def f(x):
        {body}
        return x * 2, r
    """
BODIES = {
    "seeded": "np.random.seed(3); torch._dynamo.graph_break(); r = np.random.rand(2).tolist()",
    "state": "np.random.seed(len(x)); s = np.random.get_state(); r = np.random.rand(); np.random.set_state(s)",
    "drawn": "torch._dynamo.graph_break(); r = torch.from_numpy(np.random.standard_normal(3))",
}
CALLS = [lambda n=n: (torch.full((3,), n),) for n in (1.0, -1.0, 3.0)]


@pytest.mark.parametrize("name", BODIES)
def test_the_numbers_are_those_of_numpy(tmp_path: Any, name: str) -> None:
    compare(load(tmp_path, PROGRAM.format(body=BODIES[name])), CALLS, grad=False, rounds=6)


def test_a_whole_call_draws_from_numpy(tmp_path: Any) -> None:
    body = "np.random.seed(3); r = np.random.rand()"
    outcome = compare(load(tmp_path, PROGRAM.format(body=body)), CALLS, grad=False, rounds=6)
    assert outcome.report["callables"][0]["mode"] == "whole"
