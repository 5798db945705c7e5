"""Link prediction with negative samples."""

import torch
from torch_geometric.nn import GCNConv
from torch_geometric.utils import negative_sampling

FAMILY = "geometric"


class Links(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = GCNConv(4, 8)

    def forward(self, x, edges):
        hidden = self.conv(x, edges)
        others = negative_sampling(edges, num_nodes=x.size(0), num_neg_samples=edges.size(1), method="dense")
        both = torch.cat([edges, others], dim=-1)
        scores = (hidden[both[0]] * hidden[both[1]]).sum(-1)
        labels = torch.cat([scores.new_ones(edges.size(1)), scores.new_zeros(others.size(1))])
        return torch.nn.functional.binary_cross_entropy_with_logits(scores, labels)


def model():
    return Links().train()


def calls():
    return [(torch.randn(8, 4), torch.randint(0, 8, (2, 6))) for _ in range(3)]
