"""A training step that keeps an exponential average of the weights."""

import torch
from ema_pytorch import EMA

FAMILY = "ema"
GRAD = False
IGNORE_STATE = ["optimizer"]


class Step(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(4, 3)
        self.ema = EMA(self.net, beta=0.99, update_after_step=1, update_every=2)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)

    def forward(self, x, y):
        loss = torch.nn.functional.cross_entropy(self.net(x), y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.ema.update()
        return loss.detach(), self.ema(x).detach()


def model():
    return Step()


def calls():
    return [(torch.randn(5, 4), torch.randint(0, 3, (5,))) for _ in range(4)]
