"""Samples of an autoregressive flow and their likelihood."""

import torch
import zuko

FAMILY = "zuko"


class Sampler(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.flow = zuko.flows.MAF(features=2, context=3, transforms=1, hidden_features=[8])

    def forward(self, context):
        found, log_prob = self.flow(context).rsample_and_log_prob()
        return found, log_prob.mean()


def model():
    return Sampler()


def calls():
    return [(torch.randn(n, 3),) for n in (4, 4)]
