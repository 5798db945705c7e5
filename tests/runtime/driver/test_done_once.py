"""What the program does once per call happens once: also where a trace guesses a path, or a call is undone."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

OPERATORS = {
    "a state": ("STATE = torch.zeros(3)", "STATE.add_(1)\n            return x + STATE.sum()"),
    "a count": ("STATE = []", "STATE.append(len(STATE))\n            return x * 2"),
    "a generator": (
        "STATE = torch.Generator().manual_seed(5)",
        "return x + torch.rand(x.shape, generator=STATE)",
    ),
    "NumPy's numbers": ("STATE = None", "return x + float(numpy.random.rand())"),
    "output": ("STATE = None", "print('op', float(x.sum()))\n            return x * 2"),
}
OPERATOR = """
    import numpy
    import torch

    def make():
        BEFORE

        @torch.library.custom_op("once::NAME", mutates_args=())
        def op(x: torch.Tensor) -> torch.Tensor:
            BODY

        @op.register_fake
        def _(x):
            return torch.empty_like(x)

        def f(x):
            y = op(x)
            if y.sum() > 3:
                y = torch.cat([y, y])
            count = 0
            while y.sum() > 20 and count < 3:
                y, count = op(y) / 4, count + 1
            return y, repr(STATE) if isinstance(STATE, (list, torch.Tensor)) else None

        return f
    """
CALLS = [lambda: (torch.rand(4),), lambda: (-torch.rand(4),), lambda: (torch.rand(4) * 9,)]


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_of_the_program(name: str, tmp_path: Any) -> None:
    before, body = OPERATORS[name]
    number = list(OPERATORS).index(name)
    text = OPERATOR.replace("BEFORE", before).replace("BODY", body).replace("NAME", f"op{number}")
    compare(load(tmp_path, text), CALLS, grad=False, rounds=6)


PROGRAMS = {
    "a warning of the side not taken": """
        import torch.nn.functional as F
        def f(x):
            if x.sum() > 0:
                return F.softmax(x)
            return F.log_softmax(x)
        """,
    "a warning in a loop": """
        import torch
        import torch.nn.functional as F
        def f(x):
            total = 0.0
            while x.sum() > 1:
                x = x - 0.5
                total = total + F.mse_loss(x, torch.zeros(4, 4))
            return total, x
        """,
    "lazy layers on two sides": """
        import torch
        def make():
            first, second = torch.nn.LazyBatchNorm1d(), torch.nn.LazyBatchNorm1d()  # draw no random numbers
            def f(x):
                if x.sum() > 0:
                    y = first(x.view(2, 2))
                else:
                    y = second(x.view(2, 2))
                return y, type(first).__name__, type(second).__name__
            return f
        """,
    "a lazy norm behind a test": """
        import torch
        def make():
            norm = torch.nn.LazyBatchNorm1d()
            def f(x):
                y = x.view(2, 2)
                if y.mean() > 10:
                    y = norm(y)
                if y.abs().sum() > 100:
                    y = y.relu()
                return y.sum(), type(norm).__name__
            return f
        """,
    "a mode of the program": """
        import torch
        from torch.overrides import TorchFunctionMode
        SEEN = []
        class Count(TorchFunctionMode):
            def __torch_function__(self, function, types, args=(), kwargs=None):
                SEEN.append(function.__name__)
                return function(*args, **(kwargs or {}))
        def f(x):
            with Count():
                if x.sum() > 0:
                    y = x + 1
                else:
                    y = x * 2
            return y, list(SEEN)
        """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str, tmp_path: Any) -> None:
    compare(load(tmp_path, PROGRAMS[name]), CALLS, grad=False, rounds=6)
