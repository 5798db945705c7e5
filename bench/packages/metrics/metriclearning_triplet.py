"""A triplet loss with a miner."""

import torch
from pytorch_metric_learning import losses, miners

FAMILY = "metriclearning"


class Loss(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 5)
        self.miner = miners.BatchHardMiner()
        self.loss = losses.TripletMarginLoss()

    def forward(self, x, labels):
        found = self.layer(x)
        return self.loss(found, labels, self.miner(found, labels))


def model():
    return Loss()


def calls():
    return [(torch.randn(8, 4), torch.arange(8) % 3) for _ in range(3)]
