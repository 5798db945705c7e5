"""A protein language model, with masked tokens in training."""

import esm
import torch

FAMILY = "esm"
IGNORE_STATE = ["_incremental_state_id"]


def model():
    return esm.ESM2(num_layers=2, embed_dim=16, attention_heads=2, token_dropout=True).train()


def calls():
    return [(torch.randint(4, 30, (2, n)),) for n in (8, 8, 10)]
