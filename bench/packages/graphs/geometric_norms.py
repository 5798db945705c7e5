"""Normalisation over graphs, attention to pooled nodes, jumping knowledge."""

import torch
from torch_geometric.nn import GraphNorm, JumpingKnowledge, TransformerConv, global_max_pool
from torch_geometric.nn.aggr import SoftmaxAggregation

FAMILY = "geometric"


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = TransformerConv(4, 6, heads=2, concat=False), TransformerConv(6, 6)
        self.norm, self.jump, self.pool = GraphNorm(6), JumpingKnowledge("cat"), SoftmaxAggregation(learn=True)

    def forward(self, x, edges, batch):
        one = self.norm(self.first(x, edges), batch).relu()
        two = self.second(one, edges)
        both = self.jump([one, two])
        return torch.cat([global_max_pool(both, batch), self.pool(both, batch)], -1)


def model():
    return Network()


def calls():
    return [
        (torch.randn(n, 4), torch.randint(0, n, (2, 3 * n)), torch.tensor([0] * 2 + [1] * (n - 2))) for n in (5, 5, 7)
    ]
