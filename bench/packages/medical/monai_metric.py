"""A metric of segmentations."""

import torch
from monai.metrics import DiceMetric

FAMILY = "monai"
GRAD = False


class Score(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.metric = DiceMetric(include_background=True, reduction="mean")

    def forward(self, x, y):
        return self.metric(x, y)


def model():
    return Score()


def calls():
    return [((torch.randn(2, 2, 6, 6) > 0).float(), (torch.randn(2, 2, 6, 6) > 0).float()) for _ in range(2)]
