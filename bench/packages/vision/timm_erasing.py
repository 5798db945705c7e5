"""Random erasing of parts of images."""

import torch
from timm.data.random_erasing import RandomErasing

FAMILY = "timm"
GRAD = False


class Erase(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.erase = RandomErasing(probability=0.5, mode="pixel", device="cpu")

    def forward(self, x):
        return self.erase(x.clone()) * 2


def model():
    return Erase().train()


def calls():
    return [(torch.rand(3, 3, 16, 16),) for _ in range(4)]
