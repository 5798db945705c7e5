"""A small U-Net."""

import torch
from monai.networks.nets import UNet

FAMILY = "monai"
GRAD = False


def model():
    return UNet(spatial_dims=2, in_channels=1, out_channels=2, channels=(4, 8), strides=(2,), num_res_units=1).eval()


def calls():
    return [(torch.randn(1, 1, n, n),) for n in (8, 8, 16)]
