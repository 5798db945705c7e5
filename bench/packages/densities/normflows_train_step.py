"""A training step of coupling layers, as the tutorial of such flows has it."""

import normflows as nf
import torch

FAMILY = "normflows"
GRAD = False
IGNORE_STATE = ["optimizer"]


class Step(torch.nn.Module):
    def __init__(self):
        super().__init__()
        flows = []
        for _ in range(2):
            flows.append(nf.flows.AffineCouplingBlock(nf.nets.MLP([1, 8, 2], init_zeros=True)))
            flows.append(nf.flows.Permute(2, mode="swap"))
        self.flow = nf.NormalizingFlow(nf.distributions.DiagGaussian(2), flows)
        self.optimizer = torch.optim.Adam(self.flow.parameters(), lr=1e-2)
        self.history = []

    def forward(self, x):
        self.optimizer.zero_grad()
        loss = self.flow.forward_kld(x)
        if ~(torch.isnan(loss) | torch.isinf(loss)):
            loss.backward()
            self.optimizer.step()
        self.history.append(loss.detach().numpy())
        return loss.detach()


def model():
    return Step().train()


def calls():
    return [(torch.randn(6, 2),) for _ in range(3)]
