"""The likelihood of a conditional spline flow."""

import torch
import zuko

FAMILY = "zuko"


class Density(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.flow = zuko.flows.NSF(features=2, context=3, transforms=1, hidden_features=[8])

    def forward(self, x, context):
        return -self.flow(context).log_prob(x).mean()


def model():
    return Density()


def calls():
    return [(torch.randn(n, 2), torch.randn(n, 3)) for n in (5, 5, 6)]
