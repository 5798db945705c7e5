"""A loss in automatic mixed precision, with what the main process prints."""

import torch
from accelerate import Accelerator

FAMILY = "accelerate"
IGNORE_STATE = ["accelerator"]


class Loss(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.accelerator = Accelerator(cpu=True)
        self.net = torch.nn.Linear(4, 3)

    def forward(self, x, y):
        with self.accelerator.autocast():
            loss = torch.nn.functional.cross_entropy(self.net(x), y)
        if torch.isnan(loss):
            raise ValueError("not a number")
        self.accelerator.print(f"loss {loss.item():.3f}")
        return loss, self.accelerator.gather(loss.detach().reshape(1)).mean()


def model():
    return Loss()


def calls():
    return [(torch.randn(5, 4), torch.randint(0, 3, (5,))) for _ in range(3)]
