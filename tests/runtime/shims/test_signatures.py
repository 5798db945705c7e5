"""Signatures of functions and methods are part of the graph."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

TEXT = """
    import functools
    import inspect
    import torch

    def helper(x, scale=2, *, bias: float = 0.5, **options):
        return x * scale + bias

    @functools.wraps(helper)
    def wrapped(*args, **kwargs):
        return helper(*args, **kwargs)

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))])
            self.called = helper

        def scaled(self, x, scale=3):
            return x * scale

        def forward(self, x):
            {body}

    make = Model
    """
BODIES = [
    "return self.called(x, **{'scale': 3} if 'scale' in inspect.signature(self.called).parameters else {})",
    "return x + 1, list(inspect.signature(self.scaled).parameters)",
    "return x + 1, inspect.signature(wrapped).parameters['scale'].default",
    "found = inspect.signature(helper).parameters; return x + 1, [p.name for p in found.values() if p.kind == 3]",
    "return x + 1, 'set_to_none' in inspect.signature(self.optimizer.zero_grad).parameters",
    "return x + 1, any(p.kind is p.VAR_KEYWORD for p in inspect.signature(helper).parameters.values())",
]


@pytest.mark.parametrize("body", BODIES)
def test_a_signature(tmp_path: Any, body: str) -> None:
    outcome = compare(load(tmp_path, TEXT.format(body=body)), [lambda: (torch.arange(3.0),)])
    assert outcome.report["callables"][0]["mode"] == "whole" and outcome.graphs == 1


def test_another_function(tmp_path: Any) -> None:
    text = """
        import inspect

        class Counted:
            calls = 0

        def helper(x, scale=2):
            return x * scale

        def other(x, size=3):
            return x * size

        def f(x):
            function = (helper, other)[Counted.calls % 2]
            Counted.calls += 1
            helper.__defaults__ = (Counted.calls,)
            found = inspect.signature(function).parameters
            return x + 1, list(found), found.get("scale", found.get("size")).default
        """
    compare(load(tmp_path, text), [lambda: (torch.arange(3.0),)])
