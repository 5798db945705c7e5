"""A vector quantiser in training, with its moving averages."""

import torch
from vector_quantize_pytorch import VectorQuantize

FAMILY = "vectorquantize"


def model():
    return VectorQuantize(dim=8, codebook_size=16, decay=0.8, commitment_weight=1.0).train()


def calls():
    return [(torch.randn(2, n, 8),) for n in (6, 6, 5)]
