"""The adjoint of a neural equation."""

import torch
from torchdiffeq import odeint_adjoint

FAMILY = "torchdiffeq"


class Velocity(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 3)

    def forward(self, time, state):
        return torch.tanh(self.layer(state))


class Flow(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.velocity = Velocity()

    def forward(self, x):
        return odeint_adjoint(self.velocity, x, torch.linspace(0, 1, 3), method="euler")[-1]


def model():
    return Flow()


def calls():
    return [(torch.randn(2, 3),) for _ in range(3)]
