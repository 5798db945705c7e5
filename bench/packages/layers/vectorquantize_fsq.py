"""A finite scalar quantiser."""

import torch
from vector_quantize_pytorch import FSQ

FAMILY = "vectorquantize"


def model():
    return FSQ(levels=[8, 5, 5])


def calls():
    return [(torch.randn(2, n, 3),) for n in (6, 6, 5)]
