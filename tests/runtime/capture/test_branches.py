"""Branches on data: what is selected, what is refused, and why."""

from __future__ import annotations

from typing import Any, Callable

import pytest
import torch
from harness import compare

import graphmend.runtime as _gm

SITE = "m.py:1:0:GM101"


def pick(test: Any, then: Callable, orelse: Callable, *operands: Any, site: str = SITE) -> Any:
    """A conditional expression as the compiler core writes it."""
    if _gm.on(site):
        return _gm.branch(site, test, then, orelse, operands)
    return then(*operands) if test else orelse(*operands)


POSITIVE, NEGATIVE = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([-1.0, -2.0, 0.5])
CALLS = [lambda: (POSITIVE.clone(),), lambda: (NEGATIVE.clone(),)]
WEIGHT = torch.tensor([0.5, -1.5, 2.0])


def two_way(x):
    return pick(x.sum() > 0, lambda x: x * 2, lambda x: x - 1, x * 1.0)


def no_else(x):
    y = x + 1
    y = pick((y < 0).any(), lambda y: y.clamp(min=0), lambda y: y, y)
    return y * 3


def several_names(x):
    a, b = pick(x.sum() > 0, lambda x: (x * 2, x + 1), lambda x: (x - 1, x * 3), x)
    return a * b, a - b


def elif_chain(x):
    def third(x):
        return pick(x.sum() < -2, lambda x: x * 5, lambda x: x.sin(), x, site="m.py:2:0:GM101")

    return pick(x.sum() > 0, lambda x: x * 2, third, x)


def nested(x):
    def inner(x):
        y = x * 2
        return pick(y.max() > 5, lambda y: y / 3, lambda y: y + 7, y, site="m.py:2:0:GM101")

    return pick(x.sum() > 0, inner, lambda x: x - 1, x)


def constant_results(x):
    y, flag, nothing = pick(x.sum() > 0, lambda x: (x * 2, True, None), lambda x: (x - 1, True, None), x)
    return y if flag and nothing is None else -y


def bare_flag(x):
    return pick(x.sum(), lambda x: x * 2, lambda x: x - 1, x)


def nan_is_true(x):
    return pick(x.sum() * float("nan"), lambda x: x * 2, lambda x: x - 1, x)


def one_element(x):
    return pick(x[:1] > 0, lambda x: x * 2, lambda x: x - 1, x)


def python_test(x):
    return pick(x.dim() == 1, lambda x: x * 2, lambda x: x - 1, x)


def grad_mode_inside(x):
    def then(x):
        with torch.no_grad():
            scale = x.abs().max()
        return x / (scale + 1)

    return pick(x.sum() > 0, then, lambda x: x - 1, x)


def inplace_on_own(x):
    def then(x):
        y = x * 2
        y += 1
        y[0] = 5.0
        return y

    return pick(x.sum() > 0, then, lambda x: x - 1, x)


def reshaped(x):
    y = x.repeat(2).view(2, 3)
    return pick(x.sum() > 0, lambda y: y.t().contiguous().t() @ WEIGHT, lambda y: y.sum(1), y)


def softmax_sides(x):
    return pick(x.sum() > 0, lambda x: torch.softmax(x, 0), lambda x: torch.nn.functional.layer_norm(x, (3,)), x)


def connectives(x):
    if _gm.on(SITE):
        test = _gm.and_("m.py:1:0:GM101", lambda: x.sum() > 0, lambda: _gm.not_(SITE, x.max() > 2.5))
        test = _gm.or_("m.py:1:0:GM101", lambda: test, lambda: x.min() < -1.5)
    else:
        test = (x.sum() > 0 and not x.max() > 2.5) or x.min() < -1.5
    return pick(test, lambda x: x * 2, lambda x: x - 1, x)


def mixed_connectives(x):
    if _gm.on(SITE):
        test = _gm.and_(SITE, lambda: x.dim() == 1, lambda: x.sum() > 0, lambda: x.shape[0] == 3)
    else:
        test = x.dim() == 1 and x.sum() > 0 and x.shape[0] == 3
    return pick(test, lambda x: x * 2, lambda x: x - 1, x)


def events_inside(x):
    def sink(a):
        print("side", round(float(a.sum()), 3))

    def then(x):
        if _gm.on("m.py:3:0:GM301"):
            _gm.defer("m.py:3:0:GM301", sink, (x,))
        else:
            print("side", round(float(x.sum()), 3))
        return x * 2

    def orelse(x):
        y = pick(x.max() > 0, then, lambda x: x - 1, x, site="m.py:2:0:GM101")
        if _gm.on("m.py:4:0:GM301"):
            _gm.defer("m.py:4:0:GM301", sink, (y,))
        else:
            print("side", round(float(y.sum()), 3))
        return y

    return pick(x.sum() > 3, then, orelse, x)


def check_inside(x):
    def then(x):
        if _gm.on("m.py:3:0:GM401") and _gm.check("m.py:3:0:GM401", x.max() > 2.5):
            pass
        else:
            if x.max() > 2.5:
                raise ValueError("large")
        return x * 2

    return pick(x.sum() > 0, then, lambda x: x * 100, x)


MENDED = [
    two_way,
    no_else,
    several_names,
    elif_chain,
    nested,
    constant_results,
    bare_flag,
    nan_is_true,
    one_element,
    grad_mode_inside,
    inplace_on_own,
    reshaped,
    softmax_sides,
    connectives,
    mixed_connectives,
    events_inside,
    check_inside,
]
MORE = [
    lambda: (torch.tensor([1.0, 1.5, 2.0]),),
    lambda: (torch.tensor([-3.0, -2.0, -0.5]),),
    lambda: (torch.tensor([3.0, -4.0, 0.25]),),
    lambda: (torch.zeros(3),),
]


@pytest.mark.parametrize("grad", [True, False], ids=["grad", "nograd"])
@pytest.mark.parametrize("program", MENDED, ids=lambda program: program.__name__)
def test_one_graph(program: Callable, grad: bool) -> None:
    outcome = compare(lambda: program, CALLS + MORE, grad)
    assert outcome.mended("GM101"), outcome.report
    assert outcome.graphs == 1, outcome.report


def test_python_value_is_not_a_branch() -> None:
    outcome = compare(lambda: python_test, CALLS)
    assert outcome.graphs == 1
    assert "where" not in outcome.backend.targets()


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
@pytest.mark.parametrize("program", [elif_chain, inplace_on_own, events_inside], ids=lambda program: program.__name__)
def test_other_backends(program: Callable, backend: str) -> None:
    outcome = compare(lambda: program, CALLS + MORE, True, backend)
    assert outcome.graphs == 1


def different_dtypes(x):
    return pick(x.sum() > 0, lambda x: x.double(), lambda x: x - 1, x) * 1.0


def different_shapes(x):
    return pick(x.sum() > 0, lambda x: x.sum(), lambda x: x - 1, x) * 1.0


def different_strides(x):
    y = x.repeat(2).view(2, 3)
    return pick(x.sum() > 0, lambda y: y * 2, lambda y: (y.t() * 2).contiguous().t(), y)


def different_values(x):
    return pick(x.sum() > 0, lambda x: (x * 2, "a"), lambda x: (x - 1, "b"), x)


def random_side(x):
    return pick(x.sum() > 0, lambda x: torch.nn.functional.dropout(x, 0.5), lambda x: x - 1, x)


def failing_side(x):
    return pick(x.sum() > 0, lambda x: WEIGHT[x.long().clamp(max=5)] * x, lambda x: x - 1, x)


def python_effect(x):
    seen = []

    def then(x):
        seen.append(1)
        return x * 2

    return pick(x.sum() > 0, then, lambda x: x - 1, x), len(seen)


def returns_input(x):
    return pick(x.sum() > 0, lambda x: x * 2, lambda x: x, x)


def returns_view_of_input(x):
    return pick(x.sum() > 0, lambda x: x * 2, lambda x: x.view(3), x)


def returns_other_result(x):
    y = x * 2
    return y, pick(x.sum() > 0, lambda y: y + 1, lambda y: y, y)


def breaking_side(x):
    def then(x):
        print("then")
        return x * 2

    return pick(x.sum() > 0, then, lambda x: x - 1, x)


def too_expensive(x):
    big = x.sum() * torch.ones(600, 600)
    return pick(x.sum() > 0, lambda big: big @ big, lambda big: big, big)


def several_elements(x):
    return pick(x > 0, lambda x: x * 2, lambda x: x - 1, x)


REFUSED = {
    different_dtypes: "different dtypes",
    different_shapes: "different ranks",
    different_strides: "different strides",
    different_values: "different Python values",
    random_side: "draws random numbers",
    failing_side: "may fail on data",
    python_effect: "changes a Python object",
    returns_input: "returns an input",
    returns_view_of_input: "returns an input",
    returns_other_result: "also another result",
    breaking_side: "cannot be traced",
    too_expensive: "too expensive",
    several_elements: "more or less than one element",
}


@pytest.mark.parametrize("grad", [True, False], ids=["grad", "nograd"])
@pytest.mark.parametrize("program", REFUSED, ids=lambda program: program.__name__)
def test_refused(program: Callable, grad: bool) -> None:
    outcome = compare(lambda: program, CALLS, grad)
    assert any(REFUSED[program] in reason for reason in outcome.refusals("GM101")), outcome.report
    assert not outcome.mended("GM101")
