"""A neural equation with fixed steps."""

import torch
from torchdiffeq import odeint

FAMILY = "torchdiffeq"


class Flow(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 3)

    def velocity(self, time, state):
        return torch.tanh(self.layer(state)) * time.cos()

    def forward(self, x):
        return odeint(self.velocity, x, torch.linspace(0, 1, 5), method="rk4")[-1]


def model():
    return Flow()


def calls():
    return [(torch.randn(n, 3),) for n in (2, 2, 4)]
