"""Nodes of several graphs as one padded tensor."""

import torch
from torch_geometric.utils import softmax, to_dense_adj, to_dense_batch

FAMILY = "geometric"


def dense(x, edges, batch):
    nodes, mask = to_dense_batch(x, batch)
    return nodes, mask, to_dense_adj(edges, batch), softmax(x, batch)


def model():
    return dense


def calls():
    edges = torch.tensor([[0, 1, 3, 4], [1, 2, 4, 3]])
    return [
        (torch.randn(6, 4), edges, torch.tensor([0, 0, 0, 1, 1, 1])),
        (torch.randn(6, 4), edges, torch.tensor([0, 0, 0, 1, 1, 2])),
    ]
