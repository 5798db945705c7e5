"""Two graph convolutions over graphs of several sizes."""

import torch
from torch_geometric.nn import GCNConv

FAMILY = "geometric"


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = GCNConv(4, 8), GCNConv(8, 3)

    def forward(self, x, edges):
        return self.second(self.first(x, edges).relu(), edges)


def model():
    return Network()


def calls():
    return [(torch.randn(n, 4), torch.randint(0, n, (2, 3 * n))) for n in (5, 5, 7)]
