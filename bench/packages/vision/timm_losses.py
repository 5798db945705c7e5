"""Losses of timm: label smoothing, asymmetric, binary."""

import torch
from timm.loss import AsymmetricLossMultiLabel, BinaryCrossEntropy, JsdCrossEntropy, LabelSmoothingCrossEntropy

FAMILY = "timm"


class Losses(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.smooth, self.binary = LabelSmoothingCrossEntropy(0.1), BinaryCrossEntropy(target_threshold=0.2)
        self.asymmetric, self.jsd = AsymmetricLossMultiLabel(), JsdCrossEntropy(num_splits=3)

    def forward(self, x, y):
        many = torch.nn.functional.one_hot(y, 4).float()
        return self.smooth(x, y) + self.binary(x, y) + self.asymmetric(x, many) + self.jsd(x, y[:2])


def model():
    return Losses()


def calls():
    return [(torch.randn(6, 4), torch.randint(0, 4, (6,))) for _ in range(3)]
