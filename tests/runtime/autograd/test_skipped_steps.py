"""Training steps that data decide on: a batch whose loss is not finite updates nothing, every other batch trains."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

# Whole numbers: the parameters are the only leaves. A zero divided by a zero is not finite.
CALLS = [lambda number=number: (torch.full((2, 3), number),) for number in (1, 0, -2)]

START = """
    import torch

    class Step(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(3, 1)
            self.optimizer = torch.optim.SGD(self.linear.parameters(), lr=0.1, momentum=0.9)

        def forward(self, x):
            self.optimizer.zero_grad()
            loss = self.linear(x * x / x).square().mean()
            BODY
            return loss.detach()

    make = Step
    """

STEPS = {
    "return": """
            if torch.isnan(loss):
                return loss.detach()
            loss.backward()
            self.optimizer.step()""",
    "both sides": """
            if torch.isfinite(loss):
                loss.backward()
                self.optimizer.step()
            else:
                print("skipped", loss.item())""",
}


@pytest.mark.parametrize("name", STEPS)
def test_steps_are_made_where_the_loss_is_finite(name: str, tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, START.replace("BODY", STEPS[name])), CALLS, rounds=6)
    assert outcome.mended("GM105")
