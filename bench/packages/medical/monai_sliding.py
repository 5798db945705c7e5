"""Inference in windows that slide over the image."""

import torch
from monai.inferers import sliding_window_inference

FAMILY = "monai"
GRAD = False


class Windows(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Conv2d(1, 2, 3, padding=1)

    def forward(self, x):
        return sliding_window_inference(x, (8, 8), 2, self.layer, overlap=0.25)


def model():
    return Windows()


def calls():
    return [(torch.randn(1, 1, 12, 12),) for _ in range(2)]
