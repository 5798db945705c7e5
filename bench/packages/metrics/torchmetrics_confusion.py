"""A confusion matrix with ignored targets, and an F score by class."""

import torch
from torchmetrics.classification import MulticlassConfusionMatrix, MulticlassF1Score, MulticlassJaccardIndex

FAMILY = "torchmetrics"


class Evaluate(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.confusion = MulticlassConfusionMatrix(3, ignore_index=-1)
        self.scores = MulticlassF1Score(3, average="none", ignore_index=-1)
        self.overlap = MulticlassJaccardIndex(3, ignore_index=-1)

    def forward(self, scores, target):
        return self.confusion(scores, target), self.scores(scores, target), self.overlap(scores, target)


def model():
    return Evaluate()


def calls():
    return [(torch.randn(n, 3), torch.randint(-1, 3, (n,))) for n in (8, 8, 5)]
