"""Distributions and transforms of pyro."""

import pyro.distributions as dist
import pyro.distributions.transforms as T
import torch

FAMILY = "pyro"


class Density(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.planar, self.spline = T.Planar(3), T.Spline(3, count_bins=4)

    def forward(self, x):
        flow = dist.TransformedDistribution(
            dist.Normal(torch.zeros(3), torch.ones(3)).to_event(1), [self.planar, self.spline]
        )
        drawn = flow.rsample((x.shape[0],))
        mixed = dist.MixtureSameFamily(dist.Categorical(logits=x), dist.Normal(x, torch.ones_like(x)))
        return flow.log_prob(drawn), mixed.log_prob(x[:, 0])


def model():
    return Density()


def calls():
    return [(torch.randn(n, 3),) for n in (5, 5, 6, 5)]
