"""A training step of a network and of the proxies that its loss holds."""

import torch
from pytorch_metric_learning.losses import ProxyAnchorLoss

FAMILY = "metriclearning"
GRAD = False
IGNORE_STATE = ["optimizer"]


class Step(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(6, 4)
        self.loss = ProxyAnchorLoss(num_classes=3, embedding_size=4)
        self.optimizer = torch.optim.Adam(self.parameters(), lr=1e-2)

    def forward(self, x, labels):
        self.optimizer.zero_grad()
        loss = self.loss(self.net(x), labels)
        loss.backward()
        self.optimizer.step()
        return loss.detach()


def model():
    return Step()


def calls():
    return [(torch.randn(6, 6), torch.randint(0, 3, (6,))) for _ in range(3)]
