"""A vector quantiser in evaluation."""

import torch
from vector_quantize_pytorch import VectorQuantize

FAMILY = "vectorquantize"


def model():
    return VectorQuantize(dim=8, codebook_size=16).eval()


def calls():
    return [(torch.randn(2, n, 8),) for n in (6, 6, 5)]
