"""Functions marked with `torch.compiler.assume_constant_result` on the sides of a branch."""

from __future__ import annotations

from typing import Any

import torch
from harness import compare, load

PROGRAM = """
    import torch

    CALLED = []

    @torch.compiler.assume_constant_result
    def scale(number):
        CALLED.append(number)
        return number

    class Net(torch.nn.Module):
        def forward(self, x):
            if x.sum() > 0:
                y = x * scale(1)
            else:
                y = x * 7
            return y

        def shown(self):
            return CALLED

    def make():
        CALLED.clear()
        return Net()
    """


def test_a_side_that_is_not_taken_is_not_run(tmp_path: Any) -> None:
    compare(load(tmp_path, PROGRAM), [lambda: (-torch.rand(4),)], grad=False, rounds=3)
