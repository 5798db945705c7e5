"""Draws of random numbers behind deferred output: the draws move in front of the graph, and the output behind it."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

TEXT = """
    import random
    import numpy as np

    def f(x):
        print("first", random.random())
        kept = []
        for n in range(3):
            if x.sum() > 2:
                kept.append(n)
                print("large", n)
            x = x * random.uniform(0.5, 1.5)
        order = random.sample(range(5), 2)
        random.shuffle(order)
        return x, kept, order, np.random.rand()
    """


@pytest.mark.parametrize("grad", [False, True], ids=["numbers", "gradients"])
def test_order_is_not_seen(tmp_path: Any, grad: bool) -> None:
    outcome = compare(load(tmp_path, TEXT), [lambda n=n: (torch.ones(3) * n,) for n in (1, 0.5, 3)], grad)
    assert outcome.mended("GM501") and outcome.mended("GM301")
