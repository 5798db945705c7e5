"""A stochastic equation."""

import torch
import torchsde

FAMILY = "torchsde"


class Walk(torch.nn.Module):
    noise_type = "diagonal"
    sde_type = "ito"

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)

    def f(self, t, y):
        return self.layer(y)

    def g(self, t, y):
        return 0.1 * torch.sigmoid(y)

    def forward(self, y):
        return torchsde.sdeint(self, y, torch.linspace(0, 1, 3), method="euler", dt=0.5)


def model():
    return Walk()


def calls():
    return [(torch.randn(2, 2),) for _ in range(2)]
