"""A collection of metrics over a loop of batches."""

import torch
from torchmetrics import MetricCollection
from torchmetrics.classification import MulticlassAccuracy, MulticlassF1Score, MulticlassPrecision

FAMILY = "torchmetrics"
GRAD = False


class Epoch(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.metrics = MetricCollection(
            {
                "accuracy": MulticlassAccuracy(num_classes=3),
                "precision": MulticlassPrecision(num_classes=3),
                "f1": MulticlassF1Score(num_classes=3),
            },
            compute_groups=False,
        )

    def forward(self, logits, target):
        self.metrics.update(logits, target)
        return self.metrics.compute()


def model():
    return Epoch()


def calls():
    return [(torch.randn(n, 3), torch.randint(0, 3, (n,))) for n in (8, 8, 6)]
