"""A decoder with rotary positions."""

import torch
from x_transformers import Decoder, TransformerWrapper

FAMILY = "xtransformers"


def model():
    layers = Decoder(dim=16, depth=2, heads=2, rotary_pos_emb=True)
    return TransformerWrapper(num_tokens=32, max_seq_len=16, attn_layers=layers)


def calls():
    return [(torch.randint(0, 32, (2, n)),) for n in (8, 8, 6)]
