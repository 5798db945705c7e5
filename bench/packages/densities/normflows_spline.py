"""An autoregressive flow of splines, in both directions."""

import normflows as nf
import torch

FAMILY = "normflows"


class Density(torch.nn.Module):
    def __init__(self):
        super().__init__()
        base = nf.distributions.DiagGaussian(2, trainable=False)
        self.flow = nf.NormalizingFlow(
            base, [nf.flows.AutoregressiveRationalQuadraticSpline(2, 1, 8), nf.flows.LULinearPermute(2)]
        )

    def forward(self, x):
        found, density = self.flow.sample(3)
        return self.flow.forward_kld(x), found, density


def model():
    return Density()


def calls():
    return [(torch.randn(6, 2),) for _ in range(3)]
