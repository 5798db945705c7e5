"""Texts and containers made of modules: made where the statement stands, and shown behind the graph."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

PROGRAM = """
    import torch
    import warnings

    class Heads(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.heads = torch.nn.ModuleDict({{"b": torch.nn.Linear(2, 2), "a": torch.nn.ReLU()}})

        def forward(self, x):
            y = self.heads["b"](x)
            {shown}
            if "a" in self.heads:
                self.heads.pop("a")
            return y * 2

    def make():
        torch.manual_seed(0)
        return Heads()
    """
SHOWN = [
    'print("heads:", ", ".join(self.heads), y.sum().item())',
    'print(f"{sorted(self.heads)} {y.sum().item():.3f}")',
    "print(str(self.heads), y.sum().item())",
    'print(list(self.heads), "{} heads".format(len(self.heads)))',
    "warnings.warn(f\"known: {', '.join(self.heads)}\")",
]


@pytest.mark.parametrize("shown", SHOWN)
def test_what_is_made_of_a_module_is_that_of_the_statement(tmp_path: Any, shown: str) -> None:
    make = load(tmp_path, PROGRAM.format(shown=shown))
    outcome = compare(make, [lambda: (torch.ones(3, 2),)], grad=False, rounds=3)
    assert [entry["mode"] for entry in outcome.report["callables"]] == ["whole"]
