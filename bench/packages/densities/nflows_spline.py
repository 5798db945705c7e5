"""A flow of rational quadratic splines."""

import torch
from nflows.distributions.normal import StandardNormal
from nflows.flows import Flow
from nflows.transforms import (
    CompositeTransform,
    MaskedPiecewiseRationalQuadraticAutoregressiveTransform,
    ReversePermutation,
)

FAMILY = "nflows"


class Density(torch.nn.Module):
    def __init__(self):
        super().__init__()
        spline = MaskedPiecewiseRationalQuadraticAutoregressiveTransform(
            features=3, hidden_features=8, num_bins=4, tails="linear", tail_bound=3.0
        )
        self.flow = Flow(CompositeTransform([ReversePermutation(3), spline]), StandardNormal([3]))

    def forward(self, x):
        return -self.flow.log_prob(x).mean()


def model():
    return Density()


def calls():
    return [(torch.randn(n, 3),) for n in (5, 5, 7)]
