"""A step by hand in the style of a trainer's loop: accumulated gradients, early stopping, the best value so far."""

import lightning
import torch

FAMILY = "lightning"
GRAD = False
IGNORE_STATE = ["optimizer"]


class Stopper:
    def __init__(self, patience):
        self.patience, self.best, self.waited, self.stop = patience, float("inf"), 0, False

    def on_step_end(self, value):
        if value < self.best - 1e-3:
            self.best, self.waited = value, 0
        else:
            self.waited += 1
            self.stop = self.waited >= self.patience


class Loop(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(4, 1)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.05)
        self.callbacks = [Stopper(2)]
        self.index = 0

    def forward(self, x, y):
        loss = torch.nn.functional.mse_loss(self.net(x), y) / 2
        loss.backward()
        if (self.index + 1) % 2 == 0:
            torch.nn.utils.clip_grad_value_(self.net.parameters(), 0.5)
            self.optimizer.step()
            self.optimizer.zero_grad()
        self.index += 1
        value = 2 * loss.item()
        for callback in self.callbacks:
            callback.on_step_end(value)
        return value, self.callbacks[0].stop


def model():
    return Loop()


def calls():
    return [(torch.randn(6, 4), torch.randn(6, 1)) for _ in range(4)]
