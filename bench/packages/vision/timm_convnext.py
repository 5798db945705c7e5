"""A convolutional network at images of several sizes."""

import timm
import torch

FAMILY = "timm"


def model():
    return timm.create_model(
        "convnext_atto", depths=(1, 1, 1, 1), dims=(4, 8, 8, 8), num_classes=5, drop_path_rate=0.1
    ).train()


def calls():
    return [(torch.randn(2, 3, n, n),) for n in (32, 32, 64)]
