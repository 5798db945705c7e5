"""Samples and densities of affine couplings."""

import torch
from nflows.distributions.normal import StandardNormal
from nflows.flows import Flow
from nflows.nn.nets import ResidualNet
from nflows.transforms import ActNorm, AffineCouplingTransform, CompositeTransform, LULinear

FAMILY = "nflows"


class Density(torch.nn.Module):
    def __init__(self):
        super().__init__()
        coupling = AffineCouplingTransform(torch.tensor([1, 0, 1]), lambda i, o: ResidualNet(i, o, hidden_features=8))
        self.flow = Flow(CompositeTransform([ActNorm(3), LULinear(3), coupling]), StandardNormal([3]))

    def forward(self, x):
        found, density = self.flow.sample_and_log_prob(4)
        return -self.flow.log_prob(x).mean() + density.mean(), found


def model():
    return Density().train()


def calls():
    return [(torch.randn(5, 3),) for _ in range(3)]
