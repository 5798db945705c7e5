"""Training steps with sign updates, a warm-up written by hand, and a report every other step."""

import torch
from pytorch_optimizer import Lion

FAMILY = "optimizer"
GRAD = False
IGNORE_STATE = ["optimizer"]


class Step(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(4, 2)
        self.optimizer = Lion(self.net.parameters(), lr=1e-3, weight_decay=1e-2)
        self.steps = 0

    def forward(self, x, y):
        for group in self.optimizer.param_groups:
            group["lr"] = 1e-3 * min(1.0, (self.steps + 1) / 4)
        self.optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(self.net(x), y)
        loss.backward()
        self.optimizer.step()
        self.steps += 1
        if self.steps % 2 == 0:
            print(f"step {self.steps}: loss {loss.item():.4f}")
        return loss.detach()


def model():
    return Step()


def calls():
    return [(torch.randn(6, 4), torch.randn(6, 2)) for _ in range(4)]
