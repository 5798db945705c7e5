"""A deferred effect shows copies of tensors that are written to later; nobody can tell that they are copies."""

from __future__ import annotations

import pytest
import torch
from harness import compare, load

CALLS = [lambda: (torch.tensor([1.0, 2.0]),), lambda: (torch.tensor([-1.0, -5.0]),)]

LAYOUT = """
    import torch

    def f(x):
        y = x.expand(3, 2)
        print("y", y, %s)
        x.mul_(2)
        return y + 1
"""


@pytest.mark.parametrize(
    "asked",
    [
        "y.is_contiguous()",
        "y.contiguous().stride()",
        "y.view(3, 2, 1)",
        "y.as_strided((2,), (0,))",
        "torch.view_as_real(y + 0j).stride()",
        "y.stride()",
    ],
)
def test_layout(tmp_path, asked):
    outcome = compare(load(tmp_path, LAYOUT % asked), CALLS, grad=False)
    assert outcome.graphs == 1 and outcome.mended("GM301")


def test_view_that_fails(tmp_path):
    """The copy has no overlaps, so `view` would succeed there."""
    compare(load(tmp_path, LAYOUT % "y.view(-1)"), CALLS, grad=False)


@pytest.mark.parametrize("asked", ["y.is_conj()", "y.imag.is_neg()", "torch.is_conj(y)", "y.resolve_conj().is_conj()"])
def test_lazy_conjugation(tmp_path, asked):
    compare(load(tmp_path, CONJUGATE % asked), [lambda: (torch.tensor([1 + 2j, 0j]),)], grad=False)


CONJUGATE = """
    import torch

    def f(x):
        y = x.conj()
        print("y", y, %s)
        x.mul_(2)
        return y + 1
"""

MODE = """
    import torch

    def f(x):
        with torch.no_grad():
            print(torch.is_grad_enabled(), x.sum().item())
        return x + 1
"""


def test_mode_of_the_place(tmp_path):
    compare(load(tmp_path, MODE), CALLS)


PARAMETER = """
    import torch

    class Program(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.mean = torch.nn.Parameter(torch.ones(2), requires_grad=False)

        def forward(self, x):
            print("mean", self.mean)
            %s
            return x * self.mean

    make = Program
"""


def test_parameter_that_is_written_to(tmp_path):
    outcome = compare(load(tmp_path, PARAMETER % "self.mean.add_(1)"), CALLS, grad=False)
    assert outcome.refusals("GM301")


def test_parameter(tmp_path):
    outcome = compare(load(tmp_path, PARAMETER % "pass"), CALLS, grad=False)
    assert outcome.graphs == 1 and outcome.mended("GM301")
