"""The area under a curve, over thresholds that are given."""

import torch
from torchmetrics.functional.classification import binary_auroc

FAMILY = "torchmetrics"
GRAD = False


def step(scores, target):
    return binary_auroc(scores, target, thresholds=5)


def model():
    return step


def calls():
    return [(torch.rand(n), torch.arange(n) % 2) for n in (8, 8, 12)]
