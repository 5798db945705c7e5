"""A vision transformer with stochastic depth in training."""

import timm
import torch

FAMILY = "timm"


def model():
    return timm.create_model(
        "vit_tiny_patch16_224", img_size=32, patch_size=8, depth=2, embed_dim=24, num_heads=2, drop_path_rate=0.2
    ).train()


def calls():
    return [(torch.randn(2, 3, 32, 32),) for _ in range(3)]
