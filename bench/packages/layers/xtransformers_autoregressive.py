"""The loss of an autoregressive wrapper."""

import torch
from x_transformers import AutoregressiveWrapper, Decoder, TransformerWrapper

FAMILY = "xtransformers"


def model():
    layers = Decoder(dim=16, depth=1, heads=2)
    return AutoregressiveWrapper(TransformerWrapper(num_tokens=32, max_seq_len=16, attn_layers=layers))


def calls():
    return [(torch.randint(0, 32, (2, n)),) for n in (8, 8, 6)]
