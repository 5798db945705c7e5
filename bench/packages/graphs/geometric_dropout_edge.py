"""Edges that are dropped in training."""

import torch
from torch_geometric.nn import GraphConv
from torch_geometric.utils import dropout_edge

FAMILY = "geometric"


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = GraphConv(4, 3)

    def forward(self, x, edges):
        edges, _ = dropout_edge(edges, p=0.3, training=self.training)
        return self.layer(x, edges)


def model():
    return Network().train()


def calls():
    return [(torch.randn(5, 4), torch.randint(0, 5, (2, 9))) for _ in range(3)]
