"""`min` and `max` of objects with comparisons of their own are part of the graph."""

from __future__ import annotations

from typing import Any

import torch
from harness import compare, load

OBJECTS = """
    import functools

    @functools.total_ordering
    class Candidate:
        def __init__(self, cost):
            self.cost = cost

        def __lt__(self, other):
            return self.cost < other.cost

        def __eq__(self, other):
            return self.cost == other.cost

    def f(x):
        found = [Candidate(n) for n in (3, 1, 1, 4)]
        first = min(found) is found[1]                         # the first of equal ones
        return x * min(found).cost, max(c for c in found).cost, first, min(*found[2:], found[1]) is found[2]
    """

DIVERGENCE = """
    import torch
    from torch.distributions import Normal, kl_divergence

    def f(x):
        torch.distributions.kl._KL_MEMOIZE.clear()     # the first call of a process looks for the formula
        return kl_divergence(Normal(x, x.exp()), Normal(0.0, 1.0))
    """


def inputs() -> Any:
    return (torch.arange(3.0),)


def test_objects_of_the_call(tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, OBJECTS), [inputs])
    assert outcome.report["callables"][0]["mode"] == "whole" and outcome.graphs == 1


def test_a_formula_for_two_distributions(tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, DIVERGENCE), [inputs])
    assert outcome.report["callables"][0]["mode"] == "whole"


CHOSEN = """
    def f(x):
        n = 2
        for step in range(2):
            if x.sum() > step:
                x = x + 1
        beams, first, second = [[1.0, [0]], [float(n), [1]]], [1], [1]
        best = max(beams)
        best[1].append(7)
        rows = [(1.0, [0]), (2.0, [1])]
        min(rows)[1].append(5)
        return x, beams, rows, max(first, second) is first, max((1, 2), (3, 4)), min([2], [1], key=len)
    """


def test_the_chosen_item_is_no_copy(tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, CHOSEN), [lambda: (torch.ones(2),)], grad=False, rounds=2)
    assert outcome.report["callables"][-1]["mode"] == "whole", outcome.report
