"""Contrastive learning with a memory bank and a momentum encoder."""

import torch
from lightly.loss import NTXentLoss
from lightly.models.utils import deactivate_requires_grad, update_momentum

FAMILY = "lightly"
GRAD = False
IGNORE_STATE = ["optimizer"]


class Step(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net, self.slow = torch.nn.Linear(8, 4), torch.nn.Linear(8, 4)
        deactivate_requires_grad(self.slow)
        self.loss = NTXentLoss(temperature=0.2, memory_bank_size=(16, 4))
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)

    def forward(self, first, second):
        update_momentum(self.net, self.slow, m=0.9)
        with torch.no_grad():
            keys = self.slow(second)
        loss = self.loss(self.net(first), keys)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.detach()


def model():
    return Step()


def calls():
    return [(torch.randn(6, 8), torch.randn(6, 8)) for _ in range(4)]
