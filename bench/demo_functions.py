"""Small modules with what ordinary code does between its operations, for `make capture`.

Each is called with inputs that take all its sides.
"""

from __future__ import annotations

import logging
from typing import Any

import torch

log = logging.getLogger(__name__)


class Branch(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0:
            return x * 2
        return x - 1


class Clamp(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x * 3
        if (y < 0).any():
            y = y.clamp(min=0)
        return y + 1


class Check(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if torch.isnan(x).any():
            raise ValueError("NaN in the input")
        return x.relu()


class Say(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.relu()
        print("mean", y.mean())
        return y + 1


class Log(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.tanh()
        log.warning("largest %s", y.abs().max())
        return y * 2


class Scale(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        largest = x.abs().max().item()
        return x / (largest + 1.0)


class Select(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x[x > 0].sum() * x


class Conditional(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scale = 2.0 if x.mean() > 0 else 0.5
        return x * scale


class Repeat(torch.nn.Module):
    def forward(self, x: torch.Tensor, times: int) -> torch.Tensor:
        for _ in range(times):
            x = x + 1
        return x


class Halve(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        steps = 0
        while x.abs().max() > 1 and steps < 8:
            x = x / 2
            steps += 1
        return x


class Remember(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("seen", torch.zeros(()))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.seen += 1
        return x + self.seen


class Overwrite(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x[0] > 0:
            x.add_(1)
        return x * 2


def calls() -> dict[str, list[tuple[Any, ...]]]:
    """The inputs of each module, by its name."""
    up, down = torch.linspace(0.5, 4.0, 8), torch.linspace(-4.0, 1.0, 8)
    both = [(up,), (down,), (up * 3,)]
    special: dict[str, list[tuple[Any, ...]]] = {
        "Check": [(up,), (down,), (up / torch.zeros(8) * 0,)],
        "Repeat": [(up, 2), (up, 5), (down, 0)],
    }
    names = ("Branch", "Clamp", "Check", "Say", "Log", "Scale", "Select", "Conditional", "Repeat", "Halve", "Remember")
    return {name: special.get(name, both) for name in (*names, "Overwrite")}
