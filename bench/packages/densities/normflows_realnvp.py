"""The loss of a flow of masked affine couplings."""

import normflows as nf
import torch

FAMILY = "normflows"


class Density(torch.nn.Module):
    def __init__(self):
        super().__init__()
        base = nf.distributions.DiagGaussian(2)
        layers = []
        for mask in (torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0])):
            layers += [
                nf.flows.MaskedAffineFlow(mask, nf.nets.MLP([2, 8, 2]), nf.nets.MLP([2, 8, 2])),
                nf.flows.ActNorm(2),
            ]
        self.flow = nf.NormalizingFlow(base, layers)

    def forward(self, x):
        return self.flow.forward_kld(x)


def model():
    return Density().train()


def calls():
    return [(torch.randn(6, 2),) for _ in range(3)]
