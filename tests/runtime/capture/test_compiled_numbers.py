"""Numbers from the data that a graph gives to tensor operators, where a compiler makes code of the graph."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest
import torch
from harness import by_name, compare, load

ROWS = [[1.0, -2.0, 3.0, 0.5], [0.3, 0.7, -0.1, 0.2], [-1.0, -2.0, -3.0, -0.5], [2.0, 5.0, 1.0, 4.0]]
TEXT = """
import torch
import torch.nn.functional as F

def f(x):
    v = {number}
    return {result}
"""
FLOAT, QUOTIENT, INTEGER = "x.abs().max().item()", "x.abs().max().item() / 3", "int((x > 0).sum())"
TAKEN = [
    (QUOTIENT, "x > v, x * v, v - x, x / v, torch.where(x > 0, v, x), x.clamp(-v, v)"),
    (QUOTIENT, "F.leaky_relu(x, v), F.elu(x, v), F.threshold(x, v, v), torch.addcmul(x, x, x, value=v)"),
    (QUOTIENT, "x.clone().mul_(v).add_(v), x.clone().fill_(v) + x, x.clone().masked_fill_(x > 0, v) * x"),
    (QUOTIENT, "x.double() * v, x.double() + v, x.double() - v, x.double() / v, torch.tensor([v, 1.0]) * x[:2]"),
    (FLOAT, "torch.where(x.double() > 0, v, x.double()), x.double() > v, x.double().clamp(max=v)"),
    (INTEGER, "x / v, x * v, x - v, x > v, x.clamp(max=v), (x > 0).long() * v"),
]
FIXED = [
    (QUOTIENT, "torch.where(x.double() > 0, v, x.double())"),  # a kernel gets `v` in single precision
    (QUOTIENT, "torch.full((2,), v, dtype=torch.float64), x"),
    (FLOAT, "x.abs() ** v"),  # the gradient asks for `v`
    (FLOAT, "torch.norm(x, p=v)"),
    (INTEGER, "(x * 10).to(torch.uint8) + v * 60, x"),  # arithmetic without a limit, and an integer of eight bits
]


def program(tmp_path: Any, number: str, result: str) -> Any:
    return load(tmp_path, textwrap.dedent(TEXT.format(number=number, result=result)))


def calls() -> list[Any]:
    return [lambda row=row: (torch.tensor(row),) for row in ROWS]


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
@pytest.mark.parametrize("number, result", TAKEN)
def test_one_graph_for_all_numbers(tmp_path: Any, backend: str, number: str, result: str) -> None:
    outcome = compare(program(tmp_path, number, result), calls(), compile=by_name(backend))
    (record,) = outcome.report["callables"]
    assert (record["mode"], record["paths"]) == ("whole", 1), record["reason"]


@pytest.mark.parametrize("number, result", FIXED)
def test_a_graph_for_each_number(tmp_path: Any, number: str, result: str) -> None:
    """Results and gradients are those of the call's own number, whichever graph has made them."""
    outcome = compare(program(tmp_path, number, result), calls() * 2, compile=by_name("inductor"))
    (record,) = outcome.report["callables"]
    assert record["mode"] == "partial" or record["paths"] > 1, record["mode"]


@pytest.mark.parametrize("grad", [True, False], ids=["grad", "nograd"])
def test_nothing_is_assumed_of_a_complete_graph(tmp_path: Any, grad: bool) -> None:
    """AOTAutograd asks whether the factor is 1, for the gradient; no graph asserts the answer any more."""
    text = program(tmp_path, QUOTIENT, "torch.add(x * x, x, alpha=v)")
    outcome = compare(text, calls(), grad, compile=by_name("aot_eager"))
    (record,) = outcome.report["callables"]
    assert (record["mode"] == "whole") is not grad, record["reason"]
