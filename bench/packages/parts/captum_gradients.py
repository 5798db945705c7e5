"""Integrated gradients of a classifier."""

import torch
from captum.attr import IntegratedGradients

FAMILY = "captum"
GRAD = False


class Explained(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.ReLU(), torch.nn.Linear(6, 3))

    def forward(self, x):
        target = self.net(x).argmax(-1)
        found, error = IntegratedGradients(self.net).attribute(
            x, target=target, n_steps=5, return_convergence_delta=True
        )
        return found, error


def model():
    return Explained().eval()


def calls():
    return [(torch.randn(n, 4),) for n in (3, 3, 2)]
