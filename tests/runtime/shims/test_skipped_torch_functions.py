"""Learning rate schedulers and checks of distributions are part of the graph."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

STEP = """
    import torch
    from torch.optim import lr_scheduler

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(3, 3)
            optimizer = self.optimizer = torch.optim.{optimizer}(self.layer.parameters(), lr=0.1)
            self.schedule = lr_scheduler.{schedule}

        def forward(self, x):
            loss = self.layer(x).square().mean()
            loss.backward()
            self.optimizer.step()
            self.schedule.step()
            self.optimizer.zero_grad()
            return loss.detach(), self.schedule.get_last_lr()[0], self.schedule.last_epoch

    make = Model
    """
SCHEDULES = [
    "LinearLR(optimizer, 0.1, total_iters=10)",
    "StepLR(optimizer, 3)",
    "CosineAnnealingLR(optimizer, 7)",
    "LambdaLR(optimizer, lambda epoch: 0.95 ** epoch)",
    "OneCycleLR(optimizer, 0.2, total_steps=30)",
    "SequentialLR(optimizer, [lr_scheduler.ConstantLR(optimizer), lr_scheduler.ExponentialLR(optimizer, 0.9)], [4])",
]


def inputs() -> Any:
    return (torch.arange(6.0).reshape(2, 3) / 10,)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_scheduler(tmp_path: Any, schedule: str) -> None:
    text = STEP.format(optimizer="AdamW" if schedule.startswith("Lin") else "SGD", schedule=schedule)
    outcome = compare(load(tmp_path, text), [inputs])
    assert outcome.report["callables"][0]["mode"] == "whole"


def test_checks_of_a_distribution(tmp_path: Any) -> None:
    text = """
        import torch

        def f(x):
            found = torch.distributions.Gamma(x, x + 1, validate_args=True)
            return found.log_prob(x + 0.5), found.mean
        """
    outcome = compare(load(tmp_path, text), [inputs, lambda: (torch.ones(2, 3),)], grad=False)
    assert outcome.report["callables"][0]["mode"] == "whole"


@pytest.mark.parametrize("name", ["Categorical", "Bernoulli"])
def test_checks_of_a_distribution_with_lazy_properties(tmp_path: Any, name: str) -> None:
    text = f"""
        import torch

        def f(x):
            found = torch.distributions.{name}(logits=x, validate_args=True)
            return found.entropy(), found.probs, found.log_prob(torch.ones(x.shape[:{1 + (name == "Bernoulli")}]))
        """
    outcome = compare(load(tmp_path, text), [inputs])
    assert outcome.report["callables"][0]["mode"] == "whole"


def test_a_check_of_types(tmp_path: Any) -> None:
    text = """
        import torch

        def f(x):
            return x * 2 if torch.jit.isinstance(x, torch.Tensor) else x[0] * 3
        """
    outcome = compare(load(tmp_path, text), [inputs, lambda: ([torch.ones(2, 3)],)])
    assert outcome.report["callables"][0]["mode"] == "whole"


def test_an_assertion_with_numbers_in_its_message(tmp_path: Any) -> None:
    text = """
        import torch

        def f(x):
            torch._assert(x.shape[1] > 0, f"{x.shape[1]} columns")
            if (x < 0).any():
                torch._assert(False, f"negative row {x[0].tolist()} of {x.shape[0]}")
            torch._assert((x < 9).all(), "large")
            return x * 2
        """
    calls = [inputs, lambda: (-torch.ones(2, 3),), lambda: (torch.ones(2, 0),), lambda: (torch.full((2, 3), 9.0),)]
    outcome = compare(load(tmp_path, text), calls)
    assert outcome.report["callables"][0]["mode"] == "whole"
