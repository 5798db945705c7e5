"""A training step with an accelerator that gathers gradients."""

import torch
from accelerate import Accelerator

FAMILY = "accelerate"
GRAD = False
IGNORE_STATE = ["accelerator", "optimizer"]


class Step(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
        self.net = torch.nn.Linear(4, 3)
        optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
        self.net, self.optimizer = self.accelerator.prepare(self.net, optimizer)

    def forward(self, x, y):
        with self.accelerator.accumulate(self.net):
            loss = torch.nn.functional.cross_entropy(self.net(x), y)
            self.accelerator.backward(loss)
            if self.accelerator.sync_gradients:
                self.accelerator.clip_grad_norm_(self.net.parameters(), 1.0)
            self.optimizer.step()
            self.optimizer.zero_grad()
        return loss.detach()


def model():
    return Step()


def calls():
    return [(torch.randn(5, 4), torch.randint(0, 3, (5,))) for _ in range(4)]
