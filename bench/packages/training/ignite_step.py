"""The update of an ignite engine, with running metrics."""

import torch
from ignite.metrics import Accuracy, Loss

FAMILY = "ignite"
GRAD = False
IGNORE_STATE = ["accuracy", "loss", "optimizer"]


class Step(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(4, 3)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1, momentum=0.9)
        self.accuracy, self.loss = Accuracy(), Loss(torch.nn.functional.cross_entropy)

    def forward(self, x, y):
        self.optimizer.zero_grad()
        found = self.net(x)
        loss = torch.nn.functional.cross_entropy(found, y)
        loss.backward()
        self.optimizer.step()
        self.accuracy.update((found.detach(), y))
        self.loss.update((found.detach(), y))
        return loss.detach()


def model():
    return Step()


def calls():
    return [(torch.randn(5, 4), torch.randint(0, 3, (5,))) for _ in range(4)]
