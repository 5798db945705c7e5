"""A residual quantiser with dropout of quantisers."""

import torch
from vector_quantize_pytorch import ResidualVQ

FAMILY = "vectorquantize"


def model():
    return ResidualVQ(dim=8, codebook_size=16, num_quantizers=3, quantize_dropout=True).train()


def calls():
    return [(torch.randn(2, 6, 8),) for _ in range(4)]
