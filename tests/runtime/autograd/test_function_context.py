"""Functions with a derivative of their own, called where no gradient is recorded: which of them take a context."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

TEXT = """
    import torch

    class WithContext(torch.autograd.Function):
        @staticmethod
        def forward(ctx, {parameters}):
            ctx.save_for_backward(x)
            return x * 3 + {rest}

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 3, None, None

    class Apart(torch.autograd.Function):
        @staticmethod
        def forward({parameters}):
            return x * 5 + {rest}

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.first = inputs[0]

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 5, None, None

    def f(x, y):
        with torch.no_grad():
            inner = {kind}.apply(x{given})
        print("inner", inner.sum())
        return inner * y
    """
PARAMETERS = {"any number": ("x, *parts", "sum(parts)"), "a default": ("x, a=2, b=1", "a * b")}
GIVEN = ["", ", 2", ", 2, 3", ", 2, 3, 4"]


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("parameters", PARAMETERS)
@pytest.mark.parametrize("kind", ["WithContext", "Apart"])
def test_whether_forward_takes_a_context(tmp_path: Any, kind: str, parameters: str, given: str) -> None:
    if parameters == "a default" and given == GIVEN[-1]:
        return
    names, rest = PARAMETERS[parameters]
    module = load(tmp_path, TEXT.format(kind=kind, parameters=names, rest=rest, given=given))
    outcome = compare(module, [lambda: (torch.ones(3), torch.arange(3.0))])
    assert outcome.report["callables"][0]["mode"] == "whole"
