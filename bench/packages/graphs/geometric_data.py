"""A network over a graph object."""

import torch
from torch_geometric.data import Data
from torch_geometric.nn import SAGEConv
from torch_geometric.utils import add_self_loops, degree

FAMILY = "geometric"


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = SAGEConv(4, 3)

    def forward(self, x, edges):
        data = Data(x=x, edge_index=edges)
        edges, _ = add_self_loops(data.edge_index, num_nodes=data.num_nodes)
        return self.layer(data.x, edges), degree(edges[0], data.num_nodes)


def model():
    return Network()


def calls():
    return [(torch.randn(n, 4), torch.randint(0, n, (2, 9))) for n in (5, 5, 6)]
