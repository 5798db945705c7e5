"""Functions of `statistics` of numbers that data decide."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

from graphmend.runtime.ops.statistics_functions import NAMES


@pytest.mark.parametrize("name", NAMES)
def test_part_of_the_graph(tmp_path: Any, name: str) -> None:
    text = f"""
        import statistics
        def f(x):
            rows = x.abs().mean(-1).tolist()
            value = statistics.{name}(rows)
            print("value", value)
            return x * value, value
        """
    calls = [lambda: (torch.tensor([[1.5, 2.25], [0.5, 1.0], [3.0, 4.5]]),), lambda: (torch.rand(3, 2),)]
    outcome = compare(load(tmp_path, text), calls, grad=False)
    assert outcome.report["callables"][0]["mode"] == "whole"


def test_what_it_raises(tmp_path: Any) -> None:
    text = """
        import statistics
        def f(x):
            return x * statistics.harmonic_mean(x.tolist())
        """
    calls = [lambda: (torch.tensor([1.5, 2.0]),), lambda: (torch.tensor([1.5, -2.0]),)]
    compare(load(tmp_path, text), calls, grad=False)


def test_integers_are_left_alone(tmp_path: Any) -> None:
    text = """
        import statistics
        def f(x):
            return x * 1, statistics.mean(x.long().tolist())
        """
    compare(load(tmp_path, text), [lambda: (torch.tensor([1.5, 3.0]),)], grad=False)
