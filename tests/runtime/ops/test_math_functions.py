"""Functions of `math` that give two numbers, of a number that data decide."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load


@pytest.mark.parametrize("name", ["frexp", "modf"])
def test_pairs_of_numbers_are_part_of_the_graph(tmp_path: Any, name: str) -> None:
    text = f"""
        import math
        def f(x):
            first, second = math.{name}(x.sum().item())
            return x * first + second, first
        """
    calls = [lambda: (torch.tensor([1.5, 2.25]),), lambda: (torch.tensor([-7.0, 0.3]),)]
    outcome = compare(load(tmp_path, text), calls, grad=False)
    assert outcome.report["callables"][0]["mode"] == "whole"


OF_TENSORS = [
    "math.exp(t)",
    "math.sqrt(t)",
    "math.log(t + 1)",
    "math.pow(t, 2)",
    "math.floor(t)",
    "math.ceil(t)",
    "math.hypot(t, t)",
    "math.copysign(1, t)",
    "math.isclose(t, 1.0)",
    "math.exp(t.long())",
    "math.exp(t.numpy())",
    "pow(t, 2)",
    "pow(2, t)",
    "operator.not_(t)",
    "callable(t.sin)",
    "(2 if t.view(-1).is_floating_point else 3)",
]


@pytest.mark.parametrize("call", OF_TENSORS)
def test_functions_of_tensors_with_one_number_are_part_of_the_graph(tmp_path: Any, call: str) -> None:
    text = f"""
        import math, operator
        def f(x):
            t = x.abs().sum()
            return x * {call}
        """
    calls = [lambda: (torch.tensor([1.5, 2.25]),), lambda: (torch.tensor([-7.0, 0.3]),)]
    outcome = compare(load(tmp_path, text), calls, grad=False)
    assert outcome.report["callables"][0]["mode"] == "whole"


@pytest.mark.parametrize("call", ["math.trunc(t)", "math.ldexp(1.0, t)", "math.exp(x)", "math.sqrt(t * 1j)"])
def test_functions_that_refuse_a_tensor_raise_as_in_eager_python(tmp_path: Any, call: str) -> None:
    text = f"""
        import math
        def f(x):
            t = x.sum()
            return x * {call}
        """
    compare(load(tmp_path, text), [lambda: (torch.tensor([1.5, 2.25]),)], grad=False)


OF_COUNTERS = [
    "math.exp(-self.steps / 200)",
    "math.log(self.steps)",
    "math.log1p(self.steps)",
    "math.pow(0.99, self.steps)",
    "0.5 * (1 + math.cos(math.pi * self.steps / 100))",
    "(0.1 if math.exp(-self.steps / 4) < 0.3 else 0.7)",
]


@pytest.mark.parametrize("backend", ["eager", "inductor"])
@pytest.mark.parametrize("call", OF_COUNTERS)
def test_schedules_need_one_graph(tmp_path: Any, call: str, backend: str) -> None:
    text = f"""
        import math
        import torch
        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.steps = 0
            def forward(self, x):
                self.steps += 1
                rate = {call}
                return x * rate, rate
        make = Model
        """
    outcome = compare(load(tmp_path, text), [lambda: (torch.tensor([1.5, 2.25]),)], False, backend)
    assert outcome.report["callables"][0]["mode"] == "whole"
    assert outcome.graphs <= (2 if "if" in call else 1)
