"""A training step with a metric and an optimiser."""

import torch
import torchmetrics

FAMILY = "torchmetrics"


class Step(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 3)
        self.accuracy = torchmetrics.Accuracy(task="multiclass", num_classes=3)
        self.optimizer = torch.optim.SGD(self.layer.parameters(), lr=0.1)

    def forward(self, x, target):
        logits = self.layer(x)
        loss = torch.nn.functional.cross_entropy(logits, target)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.detach(), self.accuracy(logits.detach(), target)


def model():
    return Step()


def calls():
    return [(torch.randn(8, 4), torch.randint(0, 3, (8,))) for _ in range(3)]
