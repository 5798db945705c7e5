"""Colour changes in an order by chance."""

import kornia.augmentation as K
import torch

FAMILY = "kornia"
GRAD = False


def model():
    return K.ColorJitter(0.2, 0.2, 0.2, 0.1, p=0.8)


def calls():
    return [(torch.rand(2, 3, 8, 8),) for _ in range(6)]
