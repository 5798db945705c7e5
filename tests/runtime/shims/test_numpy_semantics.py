"""Arrays are of the type, shape and order in memory that NumPy gives them, and its numbers are numbers."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

ARRAYS = {
    "inverse": "np.unique(n, return_inverse=True, return_counts=True)[1]",
    "inverse of a row": "np.unique(n[0], return_inverse=True)[1]",
    "weights": "np.bincount(n.ravel(), weights=a.ravel())",
    "counts": "np.bincount(n.ravel(), minlength=9)",
    "rows": "np.nonzero(a > 0)[0]",
    "columns": "np.where(a > 0)[1]",
    "method": "(a > 0).nonzero()[1]",
    "none": "np.where(a > 90)[1]",
    "of one dimension": "np.where(a[0] > 0)[0]",
    "two numbers": "np.where(a > 0, 1.0, 0)",
    "two integers": "np.where(a > 0, 1, 0)",
    "an array and a number": "np.where(a > 0, a, 0.5)",
    "quotient": "n / 2",
    "quotient of integers": "n / (n.sum() + 1)",
    "floating quotient": "a / n.shape[0]",
    "mask of columns": "a[:, a[0] > 0]",
    "chosen columns": "a[:, [1, 0]]",
    "mask of rows": "a[a[:, 0] > -90]",
    "nothing selected": "a[a > 90]",
    "no rows": "a[a[:, 0] > 90]",
    "no columns": "a[:, a[0] > 90]",
    "no places": "np.argwhere(a > 90)",
    "places": "np.argwhere(a > 0)",
    "scaled": "a / float(np.abs(a).max())",
    "scaled from the left": "float(a.min()) * a",
    "integers and a number": "n * float(a.max()) + n",
    "written to": "np.add(a, 0) * x.detach().max().item()",
    "compared": "a > float(a.mean())",
    "clipped": "np.clip(a, -float(a.max()), float(a.max()))",
    "clipped by a method": "a.clip(float(a.mean()), None)",
    "chosen by a number": "np.where(a > 0, float(a.max()), a)",
    "clipped by name": "np.clip(a, a_min=float(a.mean()), a_max=None)",
    "filled with a type": "np.full((2, 2), 7, dtype=np.int32)",
    "filled": "np.full((2,), float(a.max()))",
    "number and number": "np.array([a.max() * float(a.min())])",
    "powers": "np.abs(a) ** float(np.abs(a).max())",
}
NUMBERS = {
    "mean": "a[a > -9].mean()",
    "function": "np.median(n[n >= 0])",
    "arithmetic": "a[a > -9].sum() * 2 - 1",
    "ufunc": "np.sqrt(np.abs(a[a > -9].max()))",
    "item": "a[a > -9][0]",
    "a place": "a[a > -9].argmax()",
}
CALLS = [
    lambda: (torch.tensor([[0.5, -1.0, 1.75], [2.0, 0.0, -3.0]]),),
    lambda: (torch.tensor([[1.0, 3.0, 2.5], [0.25, -1.5, 4.0]]),),
]


def text(value: str, result: str) -> str:
    """A program that computes with an array and its integers."""
    return f"""
        import numpy as np
        import torch
        def f(x):
            a = x.detach().numpy()
            n = np.abs(a * 2).astype(np.int64)
            b = {value}
            return x * 2, {result}
        """


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_are_those_of_numpy(tmp_path: Any, name: str) -> None:
    outcome = compare(load(tmp_path, text(ARRAYS[name], "torch.as_tensor(b)")), CALLS)
    assert outcome.report["callables"][0]["mode"] == "whole"


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_of_numpy_leave_as_numbers(tmp_path: Any, name: str) -> None:
    program = load(tmp_path, text(NUMBERS[name], "b, type(b).__name__, [b]"))
    target = torch.compile(program(), backend="eager")
    for call in CALLS:
        expected, found = program()(*call()), target(*call())
        assert [type(value) for value in (found[1], *found[3])] == [
            type(value) for value in (expected[1], *expected[3])
        ]
        assert found[1] == pytest.approx(expected[1])


def test_arrays_without_dimensions_leave_as_arrays(tmp_path: Any) -> None:
    program = load(
        tmp_path, text("np.array(a[a > -9].sum())", "b, a[0, 0, ...], x[0, 0].detach().numpy(), np.cov(a[0])")
    )
    target = torch.compile(program(), backend="eager")
    for call in CALLS:
        expected, found = program()(*call()), target(*call())
        assert [type(value) for value in found[1:]] == [type(value) for value in expected[1:]]


def test_the_place_of_the_largest_item(tmp_path: Any) -> None:
    place = "np.unravel_index(np.argmax(a), x.shape)"
    outcome = compare(load(tmp_path, text(place, "x[b[0], b[1]] * 3, int(b[1])")), CALLS)
    assert outcome.report["callables"][0]["mode"] == "whole"


def test_the_place_of_the_largest_item_of_an_open_shape(tmp_path: Any) -> None:
    place = "np.unravel_index(np.argmax(a), a.shape)"
    sizes = [lambda s=s: (torch.randn(s),) for s in ((2, 3), (4, 5), (6, 3), (7, 9))]
    assert compare(load(tmp_path, text(place, "x[b[0], b[1]] * 3, int(b[1])")), sizes, rounds=8).graphs <= 2


MAKERS = ["asarray((), dtype=np.int64)", "array([])", "zeros((0, 3))", "ones((2, 0))", "arange(0)", "empty(0)"]


@pytest.mark.parametrize("maker", MAKERS)
def test_new_arrays_that_are_empty(tmp_path: Any, maker: str) -> None:
    program = """
        import numpy as np
        import torch

        def f(x):
            if x.sum() > 3:
                print("large")
            made = np.MAKER
            return x + 1, torch.from_numpy(made), torch.as_tensor(made).stride()
        """
    calls = [lambda: (torch.ones(3),), lambda: (torch.ones(4),)]
    outcome = compare(load(tmp_path, program.replace("MAKER", maker)), calls, grad=False)
    assert outcome.report["callables"][0]["mode"] == "whole"
