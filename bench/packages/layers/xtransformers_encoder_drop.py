"""An encoder with layer drop in training."""

import torch
from x_transformers import Encoder, TransformerWrapper

FAMILY = "xtransformers"


def model():
    layers = Encoder(dim=16, depth=2, heads=2, layer_dropout=0.2)
    return TransformerWrapper(num_tokens=32, max_seq_len=16, attn_layers=layers).train()


def calls():
    return [(torch.randint(0, 32, (2, 8)),) for _ in range(4)]
