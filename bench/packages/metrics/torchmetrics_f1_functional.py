"""The functional form of a binary F1 score, with its checks of arguments."""

import torch
from torchmetrics.functional.classification import binary_f1_score

FAMILY = "torchmetrics"
GRAD = False


def step(scores, target):
    return binary_f1_score(scores, target)


def model():
    return step


def calls():
    return [(torch.rand(n), torch.randint(0, 2, (n,))) for n in (8, 8, 12)]
