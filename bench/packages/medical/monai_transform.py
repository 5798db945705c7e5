"""Transforms of an image with its affine."""

import torch
from monai.transforms import Compose, Flip, NormalizeIntensity, ScaleIntensity

FAMILY = "monai"
GRAD = False
TRANSFORM = Compose([ScaleIntensity(), NormalizeIntensity(), Flip(0)])


def prepare(x):
    return TRANSFORM(x).as_tensor()


def model():
    return prepare


def calls():
    return [(torch.rand(1, 6, 6),) for _ in range(2)]
