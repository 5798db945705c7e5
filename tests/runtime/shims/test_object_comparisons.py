"""Comparisons of the program's objects with numbers that data decide."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

PROGRAM = """
    import operator
    import torch

    class Score:
        def __init__(self, value):
            self.value = value
        def __eq__(self, other):
            return self.value == other
        def __lt__(self, other):
            return self.value < other
        __hash__ = None

    class Silent:
        def __eq__(self, other):
            return NotImplemented
        __hash__ = None

    class Plain:
        pass

    def f(x):
        n = int(x.sum())
        if x.sum() > 0:
            x = x + 1
        score = Score(4)
        return x, {body}
    """
BODIES = {
    "equal": "score == n",
    "from the right": "n == score, n != score",
    "unequal": "score != n",
    "less": "score < n, n > score",
    "function": "operator.eq(score, n), operator.ne(n, score)",
    "plain": "Plain() == n, n != Plain()",
}
LEFT = {"silent": "Silent() == n", "items": "n in [score], score in [n]"}
CALLS = [lambda n=n: (torch.full((2,), n),) for n in (2.0, -1.0, 3.0)]


@pytest.mark.parametrize("name", [*BODIES, *LEFT])
def test_the_method_of_the_object_answers(tmp_path: Any, name: str) -> None:
    compare(load(tmp_path, PROGRAM.format(body={**BODIES, **LEFT}[name])), CALLS, grad=False)


@pytest.mark.parametrize("name", BODIES)
def test_a_program_with_comparisons_is_whole(tmp_path: Any, name: str) -> None:
    outcome = compare(load(tmp_path, PROGRAM.format(body=BODIES[name])), CALLS, grad=False)
    assert outcome.report["callables"][0]["mode"] == "whole"
