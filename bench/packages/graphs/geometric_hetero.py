"""A layer over several kinds of nodes and edges."""

import torch
from torch_geometric.nn import HeteroConv, Linear, SAGEConv

FAMILY = "geometric"


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = HeteroConv(
            {
                ("user", "rates", "item"): SAGEConv((4, 3), 5),
                ("item", "rated", "user"): SAGEConv((3, 4), 5),
            },
            aggr="sum",
        )
        self.head = Linear(5, 2)

    def forward(self, users, items, edges):
        x = {"user": users, "item": items}
        found = self.conv(x, {("user", "rates", "item"): edges, ("item", "rated", "user"): edges.flip(0)})
        found = {kind: value.relu() for kind, value in found.items()}
        return self.head(found["user"])


def model():
    return Network()


def calls():
    return [(torch.randn(n, 4), torch.randn(6, 3), torch.randint(0, 4, (2, 9))) for n in (5, 5, 7)]
