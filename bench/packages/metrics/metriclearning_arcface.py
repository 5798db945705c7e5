"""A loss with a weight for each class."""

import torch
from pytorch_metric_learning import losses

FAMILY = "metriclearning"


class Loss(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 5)
        self.loss = losses.ArcFaceLoss(num_classes=3, embedding_size=5)

    def forward(self, x, labels):
        return self.loss(self.layer(x), labels)


def model():
    return Loss()


def calls():
    return [(torch.randn(8, 4), torch.arange(8) % 3) for _ in range(3)]
