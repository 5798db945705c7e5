"""Training on mini-batches of graphs whose sizes differ from step to step."""

import torch
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GINConv, global_add_pool

FAMILY = "geometric"
GRAD = False
IGNORE_STATE = ["optimizer"]


class Step(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = GINConv(torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 8)))
        self.head = torch.nn.Linear(8, 2)
        self.optimizer = torch.optim.Adam(self.parameters(), lr=1e-2)
        self.correct = 0

    def forward(self, batch):
        self.optimizer.zero_grad()
        hidden = self.conv(batch.x, batch.edge_index).relu()
        scores = self.head(global_add_pool(hidden, batch.batch))
        loss = torch.nn.functional.cross_entropy(scores, batch.y)
        loss.backward()
        self.optimizer.step()
        self.correct += int((scores.argmax(-1) == batch.y).sum())
        return loss.detach() * batch.num_graphs


def model():
    return Step().train()


def calls():
    found = []
    for sizes in ((4, 5), (3, 6), (7, 2), (5, 5)):
        graphs = [
            Data(x=torch.randn(n, 4), edge_index=torch.randint(0, n, (2, 2 * n)), y=torch.randint(0, 2, (1,)))
            for n in sizes
        ]
        found.append((Batch.from_data_list(graphs),))
    return found
