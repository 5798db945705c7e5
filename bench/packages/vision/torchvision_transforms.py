"""Random transforms of a batch in front of a network."""

import torch
from torchvision.transforms import v2

FAMILY = "torchvision"


class Augmented(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.change = v2.Compose(
            [v2.RandomHorizontalFlip(), v2.RandomCrop(12, padding=2), v2.Normalize([0.5] * 3, [0.2] * 3)]
        )
        self.net = torch.nn.Conv2d(3, 4, 3)

    def forward(self, x):
        return self.net(self.change(x)).mean((2, 3))


def model():
    return Augmented().train()


def calls():
    return [(torch.rand(2, 3, 12, 12),) for _ in range(4)]
