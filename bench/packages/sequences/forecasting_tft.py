"""Parts of a temporal fusion transformer, with padded sequences."""

import torch
from pytorch_forecasting.models.temporal_fusion_transformer.sub_modules import (
    GatedResidualNetwork,
    InterpretableMultiHeadAttention,
)

FAMILY = "forecasting"


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = GatedResidualNetwork(4, 8, 4, 0.1)
        self.attend = InterpretableMultiHeadAttention(2, 4, 0.1)

    def forward(self, x):
        x = self.gate(x)
        return self.attend(x, x, x)[0]


def model():
    return Network().train()


def calls():
    return [(torch.randn(2, n, 4),) for n in (5, 5, 6)]
