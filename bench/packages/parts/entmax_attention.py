"""Attention with a sparse softmax, and the share of weights that are zero."""

import torch
from entmax import entmax15, sparsemax

FAMILY = "entmax"


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k = torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)
        self.mix = torch.nn.Parameter(torch.zeros(()))

    def forward(self, x):
        scores = self.q(x) @ self.k(x).transpose(-1, -2) / 8**0.5
        gate = torch.sigmoid(self.mix)
        weights = gate * entmax15(scores, dim=-1) + (1 - gate) * sparsemax(scores, dim=-1)
        sparse = (weights == 0).float().mean().item()
        return weights @ x, sparse


def model():
    return Attention()


def calls():
    return [(torch.randn(2, n, 8),) for n in (4, 4, 6)]
