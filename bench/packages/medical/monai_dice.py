"""The Dice loss of a segmentation."""

import torch
from monai.losses import DiceLoss

FAMILY = "monai"


def model():
    return DiceLoss(to_onehot_y=True, softmax=True)


def calls():
    return [(torch.randn(2, 3, n, n), torch.randint(0, 3, (2, 1, n, n))) for n in (6, 6, 8)]
