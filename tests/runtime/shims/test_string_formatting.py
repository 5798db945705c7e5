"""Texts of sizes that a trace leaves open: those of the call, in one graph for each of them."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare

TEXTS = {
    "number": lambda x: str(x.shape[0]),
    "tuple": lambda x: str(tuple(x.shape)),
    "size": lambda x: str(x.shape),
    "shown": lambda x: repr(x.shape) + ascii(list(x.shape)),
    "list": lambda x: str([*x.shape, "a", 1.5, None]),
    "dictionary": lambda x: str({"shape": tuple(x.shape), x.shape[1]: [x.dtype]}),
    "joined": lambda x: "x".join(map(str, x.shape)),
    "percent": lambda x: "%d by %03d" % (x.shape[0], x.shape[1]),
    "format": lambda x: format(x.shape[0], "04d"),
    "text": lambda x: f"{x.shape}-{tuple(x.shape)}",
    "method": lambda x: "{} by {width}".format(*x.shape[:1], width=x.shape[1]),
    "sum": lambda x: str(x.shape[0] + 1) + str(x.shape[0] > 3),
}
CALLS = [lambda s=s: (torch.ones(s),) for s in ((3, 2), (3, 3), (4, 3), (5, 4))]


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_of_sizes_that_the_program_looks_at(name: str) -> None:
    show, gains = TEXTS[name], {"3": 2.0, "(3, 3)": 3.0, "3x3": 4.0, "3 by 003": 5.0}

    def f(x: torch.Tensor) -> Any:
        key = show(x)
        return x * gains.get(key, 1.5) * len(key), key

    outcome = compare(lambda: f, CALLS)
    assert outcome.graphs == len(CALLS)
    assert [known["mode"] for known in outcome.report["callables"]] == ["whole"]


def test_a_text_of_sizes_that_nothing_looks_at_leaves_them_open() -> None:
    def f(x: torch.Tensor) -> Any:
        return x * 2, f"{x.shape} of {tuple(x.shape)}"

    assert compare(lambda: f, CALLS[:1] + CALLS[2:3] + CALLS[3:]).graphs < 4


def test_a_text_of_a_number_that_data_decide() -> None:
    def f(x: torch.Tensor, n: torch.Tensor) -> Any:
        return x * len(str((n.item(), 1))), "%s" % (n.item(),)

    compare(lambda: f, [lambda v=v: (torch.ones(2), torch.tensor(v)) for v in (3, 12, -4)])


def test_other_remainders_are_numbers() -> None:
    def f(x: torch.Tensor) -> Any:
        return x * (7 % x.shape[0]), x.shape[1] % 2

    compare(lambda: f, CALLS)


def test_the_function_format_is_no_method() -> None:
    def f(x: torch.Tensor) -> Any:
        return x * 2, format(3, "04d"), format("a", ">3"), format("{}"), format(1.5, ".2f"), format(x.item(), ".1f")

    compare(lambda: f, [lambda: (torch.tensor(2.0),), lambda: (torch.tensor(3.0),)])
