"""A training step with an optimiser of pytorch-optimizer, and its lookahead."""

import torch
from pytorch_optimizer import Lamb, Lookahead

FAMILY = "optimizer"
GRAD = False
IGNORE_STATE = ["optimizer"]


class Step(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.Tanh(), torch.nn.Linear(6, 2))
        self.optimizer = Lookahead(Lamb(self.net.parameters(), lr=1e-2), k=2)

    def forward(self, x, y):
        self.optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(self.net(x), y)
        loss.backward()
        self.optimizer.step()
        return loss.detach()


def model():
    return Step()


def calls():
    return [(torch.randn(n, 4), torch.randint(0, 2, (n,))) for n in (6, 6, 6, 5)]
