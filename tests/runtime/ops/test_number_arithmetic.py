"""Arithmetic on numbers from the data: Python's results, in graphs and behind compilers."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import by_name, compare, load

TEXT = """
    import torch

    def f(x):
        v, w = x.tolist()
        found = {expression}
        print("found", found)  # shows NaN as equal, and all digits
        return x + 1
    """
SIMPLIFIED = [
    "v - v, v * 0, 0 * v + 1, v + v - v, abs(v) - v, -v + v",
    "(v + w) - w == v, v == v, v != v, v < v, v * 0 == 0, v - v == 0",
    "(v + 0.1) + 0.2, (v + 1e20) - 1e20, v * 3.0 / 3.0",
    "0.9 * (0.9 * v + 0.1 * w) + 0.1 * w",
    "max(v, w), max(w, v), min(v, w), min(w, v), max(v, 0.5), max(0.5, v), max(v, w) == max(w, v)",
    "max({'v': v, 'w': w}.values()), max(reversed([v, w])), min(iter([v, w]))",
    "min(max(v, 0.0), 1.0) <= 1, max(v, 1e-6) > 0",
]
BRANCH = """
    import torch

    def f(x):
        scale = x.abs().max().item() / 127
        drift = scale - scale
        if scale != scale or drift != 0:
            raise FloatingPointError(f"scale {scale}")
        momentum = 0.9 * scale + 0.1 * x.mean().item()
        if momentum > 0.01:
            return (x / scale).round() * scale
        return x * momentum
    """
ROWS = [
    [1.0, 2.0],
    [2.5, -1.25],
    [0.3, 0.7],
    [float("nan"), 1.0],
    [1.0, float("nan")],
    [float("inf"), 1.0],
    [-0.0, 0.0],
]


def calls() -> list[Any]:
    return [lambda row=row: (torch.tensor(row),) for row in ROWS]


@pytest.mark.parametrize("expression", SIMPLIFIED)
def test_formulas_that_would_simplify(tmp_path: Any, expression: str) -> None:
    outcome = compare(load(tmp_path, TEXT.format(expression=expression)), calls(), grad=False)
    assert outcome.report["callables"][0]["mode"] == "whole", outcome.report["callables"][0]["reason"]


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compilers_get_arithmetic(tmp_path: Any, backend: str) -> None:
    outcome = compare(load(tmp_path, BRANCH), calls(), grad=False, compile=by_name(backend))
    assert outcome.report["callables"][0]["mode"] == "whole", outcome.report["callables"][0]["reason"]


def test_tensors_of_one_number_have_memory_of_their_own(tmp_path: Any) -> None:
    """A compiler gets the operator's result in place of the number, as often as the program asks for a tensor."""
    program = """
        import torch

        def f(x):
            total = x.sum().item()
            if total > 1000:
                print("large")
            share = total * 0.5 + 0.25
            first, second = (torch.scalar_tensor(share, dtype=torch.float64) for _ in range(2))
            first.add_(1)
            return first * 1, second * 2, x * share, first, second
        """
    compare(load(tmp_path, program), [lambda: (torch.ones(2),)], grad=False, compile=by_name("aot_eager"))
