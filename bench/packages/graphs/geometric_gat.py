"""Attention over the edges of a graph."""

import torch
from torch_geometric.nn import GATConv

FAMILY = "geometric"


def model():
    return GATConv(4, 3, heads=2, dropout=0.1).train()


def calls():
    return [(torch.randn(n, 4), torch.randint(0, n, (2, 3 * n))) for n in (5, 5, 7)]
