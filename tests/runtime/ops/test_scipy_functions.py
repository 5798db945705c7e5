"""Functions of compiled libraries in a graph, on real matrices and on such as they refuse."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

pytest.importorskip("scipy.optimize")

MATCHED = """
    import torch
    from scipy.optimize import linear_sum_assignment
    def f(x, y):
        cost = torch.cdist(x.detach(), y.detach(), p=1)
        if cost.isinf().any():
            raise ValueError(f"infinite: {{cost}}")
        {call}
        rows, columns = torch.as_tensor(i, dtype=torch.int64), torch.as_tensor(j)
        return (x[rows] - y[columns]).abs().sum(), rows, columns, len(rows)
    """
WAYS = {
    "a tensor": "i, j = linear_sum_assignment(cost)",
    "the most expensive": "i, j = linear_sum_assignment(cost, maximize=True)",
    "several": "(i, j), (k, m) = [linear_sum_assignment(c) for c in (cost, cost.t())]; i = i + k[:1] * 0",
    "whole numbers": "i, j = linear_sum_assignment((cost * 10).long())",
}
LEFT = {
    "of a gradient": "i, j = linear_sum_assignment(torch.cdist(x, y))",
    "no matrix": "i, j = linear_sum_assignment(cost[None])",
    "truth values": "i, j = linear_sum_assignment(cost > 1)",
    "not at the place": "i, j = linear_sum_assignment(maximize=False, cost_matrix=cost)",
}


def calls() -> list:
    shapes = [(4, 3), (3, 5), (2, 2), (0, 2)]
    return [lambda shape=shape: (torch.randn(shape[0], 2), torch.randn(shape[1], 2)) for shape in shapes]


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_pairs(tmp_path: Any, backend: str) -> None:
    text = MATCHED.format(call=WAYS["a tensor"])
    outcome = compare(load(tmp_path, text), calls(), backend == "eager", backend)
    assert [one["mode"] for one in outcome.report["callables"]] == ["whole"], outcome.report
    assert outcome.mended("GM501") and outcome.mended("GM401")


@pytest.mark.parametrize("call", [*WAYS.values(), *LEFT.values()], ids=[*WAYS, *LEFT])
def test_ways_to_call(tmp_path: Any, call: str) -> None:
    compare(load(tmp_path, MATCHED.format(call=call)), calls()[:3])


def test_what_it_refuses(tmp_path: Any) -> None:
    lost = [lambda n=n: (torch.full((2, 2), n), torch.ones(3, 2)) for n in (1.0, float("nan"))]
    compare(load(tmp_path, MATCHED.format(call=WAYS["a tensor"])), lost)


def test_another_function_takes_its_place(monkeypatch: Any) -> None:
    """The graph holds the function that was there when it was traced."""
    optimize = pytest.importorskip("scipy.optimize")

    def matched(x):
        i, j = optimize.linear_sum_assignment(x)
        return x[torch.as_tensor(i), torch.as_tensor(j)]

    def turned(x):
        return tuple(part[::-1].copy() for part in real(x))

    compiled, x = torch.compile(matched, backend="eager"), torch.randn(3, 3)
    real, expected = optimize.linear_sum_assignment, matched(x)
    assert torch.equal(compiled(x), expected)
    monkeypatch.setattr(optimize, "linear_sum_assignment", turned)
    assert torch.equal(compiled(x), expected.flip(0))
