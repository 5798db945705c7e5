"""Metrics of ignite over one batch."""

import torch
from ignite.metrics import ConfusionMatrix, MeanAbsoluteError, Precision, Recall

FAMILY = "ignite"
GRAD = False


def measure(scores, truth):
    precision, recall = Precision(average=False), Recall(average=True)
    matrix, error = ConfusionMatrix(3), MeanAbsoluteError()
    for metric in (precision, recall, matrix):
        metric.update((scores, truth))
    error.update((scores.argmax(1).float(), truth.float()))
    return precision.compute(), recall.compute(), matrix.compute(), error.compute()


def model():
    return measure


def calls():
    return [(torch.randn(6, 3), torch.randint(0, 3, (6,))) for _ in range(3)]
