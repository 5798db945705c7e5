"""A quantiser without a table, with its entropy loss."""

import torch
from vector_quantize_pytorch import LFQ

FAMILY = "vectorquantize"


def model():
    return LFQ(codebook_size=16, dim=4, entropy_loss_weight=0.1).train()


def calls():
    return [(torch.randn(2, 6, 4),) for _ in range(3)]
