"""`functools.singledispatch` in a call: classes of the program, base classes, later registrations."""

from __future__ import annotations

import textwrap
from typing import Any, Optional

import pytest
import torch
from harness import compare, load

START = """
import abc, collections, dataclasses, functools
import torch

@functools.singledispatch
def reduce(how, x):
    raise NotImplementedError(f"cannot reduce by {type(how).__name__}")

@reduce.register
def _(how: str, x):
    return getattr(x, how)()

@reduce.register(int)
def by_axis(how, x):
    return x.sum(how)

@reduce.register(torch.Tensor)
def by_weight(how, x):
    return (how * x).sum()

@dataclasses.dataclass
class Quantile:
    share: float

class Median(Quantile):
    pass

@reduce.register(Quantile)
def by_share(how, x):
    return x.quantile(how.share)

class Scaler:
    @functools.singledispatchmethod
    def scale(self, by, x):
        return x

    @scale.register(float)
    def _(self, by, x):
        return x * by

WEIGHT = torch.nn.Parameter(torch.ones(3))

class Shape(abc.ABC):
    pass

@functools.singledispatch
def area(shape, x):
    return x

@area.register(Shape)
def _(shape, x):
    return x * 3
"""
PROGRAMS = {
    "constants": ("reduce('mean', x), reduce(1, x), reduce('amax', x)", True),
    "tensors": ("reduce(x, x), reduce(WEIGHT, x)", True),
    "objects": ("reduce(Median(0.5), x), reduce(Quantile(0.25), x)", True),
    "numbers from the data": ("reduce(int((x > 0).all()), x)", True),
    "no function": ("reduce(None, x)", None),
    "methods": ("Scaler().scale(2.0, x), Scaler().scale('a', x)", None),
    "abstract classes": ("area(Quantile(1.0), x), Shape.register(Quantile) is None, area(Quantile(1.0), x)", None),
}


@pytest.mark.parametrize("result, whole", PROGRAMS.values(), ids=PROGRAMS)
def test_results(tmp_path: Any, result: str, whole: Optional[bool]) -> None:
    """`whole` tells whether the call is one graph; None where another part of the call decides."""
    text = textwrap.dedent(START) + f"\ndef f(x):\n    return {result}\n"
    outcome = compare(load(tmp_path, text), [lambda: (torch.rand(2, 3),), lambda: (-torch.ones(2, 3),)])
    assert whole is None or [record["mode"] for record in outcome.report["callables"]] == ["whole"]


def test_later_registration(tmp_path: Any) -> None:
    text = START + "\ndef f(x, how):\n    return reduce(how, x)\n"
    module = load(tmp_path, textwrap.dedent(text))().__globals__
    compiled = torch.compile(module["f"], backend="eager", fullgraph=True)
    x, how = torch.rand(2, 3), module["Median"](0.25)
    assert torch.equal(compiled(x, how), x.quantile(0.25))
    module["reduce"].register(module["Median"], lambda how, x: x.median())
    assert torch.equal(compiled(x, how), x.median())
    module["reduce"].register(module["Median"], lambda how, x: x.min())
    assert torch.equal(compiled(x, how), x.min())
