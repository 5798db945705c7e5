"""Attributes of objects that share one `__dict__`."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

TEXT = """
    import torch

    class State:
        shared = {{"calls": 0}}

        def __init__(self):
            self.__dict__ = self.shared

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            State.shared.clear()
            State.shared["calls"] = 0
            self.first, self.second = State(), State()

        def toggle(self, state):
            if hasattr(state, "calls"):
                del state.calls
            else:
                state.calls = 2

        def forward(self, x):
            {body}

    make = Model
    """
BODIES = [
    "self.first.calls += 1; return x * (self.second.calls % 2)",
    "y = x + self.second.calls; self.first.calls = 3; y = y * self.second.calls; self.second.calls = 5; return y",
    "self.first.scale = x.sum(); return x * self.second.scale",
    "self.first.late = 1; del self.second.late; return x + hasattr(self.first, 'late')",
    "del self.second.calls; self.first.calls = 1; return x + self.second.calls",
    "y = x + hasattr(self.first, 'calls'); self.toggle(self.second); return y",
    "self.first.late = x; torch._dynamo.graph_break(); return x + self.second.late",
]


@pytest.mark.parametrize("body", BODIES)
def test_an_attribute(tmp_path: Any, body: str) -> None:
    compare(load(tmp_path, TEXT.format(body=body)), [lambda: (torch.arange(1.0, 4.0),)])
