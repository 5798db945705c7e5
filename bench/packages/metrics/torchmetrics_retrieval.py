"""Precision of a ranking that may have no relevant document."""

import torch
from torchmetrics.functional.retrieval import retrieval_average_precision, retrieval_reciprocal_rank

FAMILY = "torchmetrics"
GRAD = False


def step(scores, target):
    return retrieval_average_precision(scores, target), retrieval_reciprocal_rank(scores, target)


def model():
    return step


def calls():
    return [(torch.rand(6), torch.tensor([0, 1, 0, 1, 1, 0])), (torch.rand(6), torch.zeros(6, dtype=torch.long))]
