"""A neural equation whose steps depend on the data."""

import torch
from torchdiffeq import odeint

FAMILY = "torchdiffeq"


class Flow(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 3)

    def velocity(self, time, state):
        return torch.tanh(self.layer(state))

    def forward(self, x):
        return odeint(self.velocity, x, torch.tensor([0.0, 1.0]), rtol=1e-2, atol=1e-2)[-1]


def model():
    return Flow()


def calls():
    return [(torch.randn(2, 3),) for _ in range(3)]
