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
