"""Expected improvement of a fitted process."""

import torch
from botorch.acquisition import LogExpectedImprovement, UpperConfidenceBound
from botorch.models import SingleTaskGP

FAMILY = "botorch"


class Value(torch.nn.Module):
    def __init__(self):
        super().__init__()
        x = torch.linspace(0, 1, 6, dtype=torch.float64)[:, None]
        process = SingleTaskGP(x, torch.sin(6 * x))
        process.eval()
        self.improvement = LogExpectedImprovement(process, best_f=0.5)
        self.bound = UpperConfidenceBound(process, beta=0.2)

    def forward(self, x):
        return self.improvement(x), self.bound(x)


def model():
    return Value()


def calls():
    return [(torch.rand(n, 1, 1, dtype=torch.float64),) for n in (3, 3, 4)]
