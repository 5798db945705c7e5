"""PyTorch Geometric: mini-batches of graphs of other sizes in each step, a readout that looks at its data."""

import counted  # noqa: F401
import torch
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GCNConv, global_mean_pool


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = GCNConv(4, 8), GCNConv(8, 8)
        self.head = torch.nn.Linear(8, 2)

    def forward(self, x, edges, batch, size: int):
        if not torch.isfinite(x).all():
            raise ValueError("features that are no numbers")
        x = self.first(x, edges).relu()
        x = self.second(x, edges).relu()
        pooled = global_mean_pool(x, batch, size)
        if pooled.norm(dim=-1).min() < 0.05:
            print("a graph with hardly any activation")
        return self.head(pooled)


def graph(index: int) -> Data:
    nodes = 3 + index % 4
    edges = torch.randint(0, nodes, (2, 3 * nodes))
    return Data(x=torch.randn(nodes, 4), edge_index=edges, y=torch.tensor([index % 2]))


torch.manual_seed(0)
loader = DataLoader([graph(i) for i in range(24)], batch_size=4)
network = Network()
compiled = torch.compile(network, backend="counted", dynamic=True)
optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
for epoch in range(3):
    total, right = 0.0, 0
    for batch in loader:
        output = compiled(batch.x, batch.edge_index, batch.batch, batch.num_graphs)
        loss = torch.nn.functional.cross_entropy(output, batch.y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
        right += int((output.argmax(-1) == batch.y).sum())
    print(f"epoch {epoch}: loss {total / len(loader):.4f}, right {right} of 24")
