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


# What Python shows of a tensor is its number, or the number in the format that the text asks for.
SHOWN = {
    "fields": lambda v: f"{v.mean()} {v.mean():+.2f} {v.sum():>9.1e}",
    "joined": lambda v: ", ".join([f"{n}={a:.3f}" for n, a in (("mean", v.mean()), ("last", v[-1]))]),
    "sum": lambda v: f"{v.mean():.2f}" + " of " + f"{v[0]:.2f}",
    "percent": lambda v: "%s %.3f %5.1f%% %-8.2e|%d" % ("a", v.mean(), v[0], v[1], v[-1]),
    "alone": lambda v: "%.2f" % v.mean(),
    "integers": lambda v: "%03d %+d" % (v.long()[0], v.long().sum()),
    "one_element": lambda v: "%.2f" % v[:1],
}


@pytest.mark.parametrize("name", SHOWN)
def test_a_text_of_tensors(name: str) -> None:
    show = SHOWN[name]

    def f(x: torch.Tensor) -> Any:
        return x * 2, show(x)

    calls = [lambda v=v: (torch.tensor(v),) for v in ([1.5, 2.25, 30.0], [-1.0, 0.5, 7.75], [0.0, 9.5, -2.0])]
    assert compare(lambda: f, calls, grad=False).graphs == 1


def test_percent_that_shows_a_tensor_as_it_is() -> None:
    def f(x: torch.Tensor) -> Any:
        return x * 2, "%s" % x.sum(), "%r" % (x.sum(),)

    compare(lambda: f, [lambda: (torch.ones(2),), lambda: (torch.zeros(2),)], grad=False)
