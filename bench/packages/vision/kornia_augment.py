"""A sequence of augmentations of images and masks."""

import kornia.augmentation as K
import torch

FAMILY = "kornia"
GRAD = False


class Augment(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = K.AugmentationSequential(
            K.RandomHorizontalFlip(p=0.5),
            K.RandomAffine(15.0, p=0.5),
            K.RandomErasing(p=0.5),
            data_keys=["input", "mask"],
        )

    def forward(self, x, mask):
        return self.steps(x, mask)


def model():
    return Augment()


def calls():
    return [(torch.rand(2, 3, 12, 12), torch.rand(2, 1, 12, 12)) for _ in range(4)]
