"""An average that leaves NaN out, and warns of it."""

import torch
import torchmetrics

FAMILY = "torchmetrics"
GRAD = False


class Average(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = torchmetrics.MeanMetric(nan_strategy="warn")

    def forward(self, loss):
        self.mean.update(loss)
        return self.mean.compute()


def model():
    return Average()


def calls():
    return [(torch.randn(4),), (torch.tensor([1.0, float("nan"), 2.0, 0.5]),), (torch.randn(3),)]
