"""Contacts of a protein from the attention maps."""

import esm
import torch

FAMILY = "esm"
IGNORE_STATE = ["_incremental_state_id"]
GRAD = False


class Contacts(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = esm.ESM2(num_layers=2, embed_dim=16, attention_heads=2, token_dropout=False)

    def forward(self, tokens):
        return self.net(tokens, repr_layers=[1], return_contacts=True)


def model():
    return Contacts().eval()


def calls():
    return [(torch.randint(4, 30, (2, n)),) for n in (8, 8, 10)]
