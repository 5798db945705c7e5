"""A continuous flow, whose change of volume is estimated."""

import torch
from torchdiffeq import odeint

FAMILY = "torchdiffeq"


class Flow(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
        self.calls, self.noise = 0, None

    def change(self, t, state):
        z, _ = state
        self.calls += 1
        with torch.enable_grad():
            z = z.requires_grad_(True) if z.is_leaf else z
            dz = self.net(torch.cat([z, t.expand(len(z), 1)], 1))
            along = torch.autograd.grad(dz, z, self.noise, create_graph=True)[0]
        return dz, -(along * self.noise).sum(1)

    def forward(self, z):
        self.noise = torch.randn_like(z).sign()
        times = torch.tensor([0.0, 0.5, 1.0])
        moved, volume = odeint(self.change, (z, torch.zeros(len(z))), times, method="rk4")
        return (moved[-1] ** 2).sum(1).mean() - volume[-1].mean()


def model():
    return Flow()


def calls():
    return [(torch.randn(n, 2),) for n in (4, 4, 5)]
