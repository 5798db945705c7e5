"""The focal loss."""

import torch
from monai.losses import FocalLoss, TverskyLoss

FAMILY = "monai"


class Loss(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.focal, self.tversky = FocalLoss(to_onehot_y=True), TverskyLoss(to_onehot_y=True, softmax=True)

    def forward(self, x, y):
        return self.focal(x, y) + self.tversky(x, y)


def model():
    return Loss()


def calls():
    return [(torch.randn(2, 3, 6, 6), torch.randint(0, 3, (2, 1, 6, 6))) for _ in range(2)]
