"""Losses of kornia on maps of classes."""

import torch
from kornia.losses import DiceLoss, FocalLoss, SSIMLoss, TotalVariation, TverskyLoss

FAMILY = "kornia"


class Losses(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.dice, self.focal = DiceLoss(), FocalLoss(alpha=0.5, reduction="mean")
        self.tversky, self.ssim, self.smooth = TverskyLoss(0.5, 0.5), SSIMLoss(5), TotalVariation()

    def forward(self, x, y):
        one = torch.nn.functional.one_hot(y, 3).movedim(-1, 1).float()
        parts = self.dice(x, y) + self.focal(x, y) + self.tversky(x, y)
        return parts + self.ssim(x.sigmoid(), one) + self.smooth(x).mean()


def model():
    return Losses()


def calls():
    return [(torch.randn(2, 3, n, n), torch.randint(0, 3, (2, n, n))) for n in (8, 8, 10)]
