"""Losses of self-supervised learning."""

import torch
from lightly.loss import BarlowTwinsLoss, NegativeCosineSimilarity, SwaVLoss, VICRegLoss

FAMILY = "lightly"


class Losses(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.barlow, self.cosine, self.vicreg, self.swav = (
            BarlowTwinsLoss(),
            NegativeCosineSimilarity(),
            VICRegLoss(),
            SwaVLoss(),
        )

    def forward(self, first, second):
        total = self.barlow(first, second) + self.cosine(first, second) + self.vicreg(first, second)
        return total + self.swav([first, second], [0.5 * first])


def model():
    return Losses()


def calls():
    return [(torch.randn(n, 5), torch.randn(n, 5)) for n in (6, 6, 8)]
