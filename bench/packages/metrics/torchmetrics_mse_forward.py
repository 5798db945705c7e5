"""A regression metric called as a module: the value of the batch, the state of all."""

import torch
import torchmetrics

FAMILY = "torchmetrics"
GRAD = False


def model():
    return torchmetrics.MeanSquaredError()


def calls():
    return [(torch.randn(n), torch.randn(n)) for n in (8, 8, 12)]
