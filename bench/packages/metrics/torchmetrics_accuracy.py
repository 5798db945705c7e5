"""A classification metric that is updated and computed in the call."""

import torch
import torchmetrics

FAMILY = "torchmetrics"
GRAD = False


class Step(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.metric = torchmetrics.classification.MulticlassAccuracy(num_classes=4, average="macro")

    def forward(self, logits, target):
        self.metric.update(logits, target)
        return self.metric.compute()


def model():
    return Step()


def calls():
    return [(torch.randn(n, 4), torch.randint(0, 4, (n,))) for n in (8, 8, 12)]
