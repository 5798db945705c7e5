"""A training step of a masked autoregressive flow."""

import torch
from nflows.distributions.normal import StandardNormal
from nflows.flows.base import Flow
from nflows.transforms.autoregressive import MaskedAffineAutoregressiveTransform
from nflows.transforms.base import CompositeTransform
from nflows.transforms.permutations import ReversePermutation

FAMILY = "nflows"
GRAD = False
IGNORE_STATE = ["optimizer"]


class Step(torch.nn.Module):
    def __init__(self):
        super().__init__()
        parts = [ReversePermutation(features=2), MaskedAffineAutoregressiveTransform(features=2, hidden_features=4)]
        self.flow = Flow(CompositeTransform(parts), StandardNormal([2]))
        self.optimizer = torch.optim.Adam(self.flow.parameters(), lr=1e-2)

    def forward(self, x):
        self.optimizer.zero_grad()
        loss = -self.flow.log_prob(inputs=x).mean()
        if not torch.isfinite(loss):
            return None
        loss.backward()
        self.optimizer.step()
        return loss.item()


def model():
    return Step().train()


def calls():
    return [(torch.randn(n, 2),) for n in (6, 6, 5)]
