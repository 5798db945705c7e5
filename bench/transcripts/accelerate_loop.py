"""accelerate: a loop with accumulated and clipped gradients, a model that caps its activations, and the best loss."""

import accelerate
import counted  # noqa: F401
import torch
from torch.utils.data import DataLoader, TensorDataset


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(6, 12), torch.nn.Linear(12, 1)
        self.capped = []

    def forward(self, x):
        hidden = self.first(x).relu()
        largest = hidden.max()
        if largest > 1.5:
            self.capped.append(round(largest.item(), 3))
            hidden = hidden * (1.5 / largest)
        return self.second(hidden)


torch.manual_seed(0)
accelerator = accelerate.Accelerator(cpu=True, gradient_accumulation_steps=2)
network = Network()
optimizer = torch.optim.AdamW(network.parameters(), lr=0.02)
loader = DataLoader(TensorDataset(torch.randn(40, 6), torch.randn(40, 1)), batch_size=8)
network, optimizer, loader = accelerator.prepare(network, optimizer, loader)
compiled = torch.compile(network, backend="counted")
best = None
for epoch in range(3):
    total = 0.0
    for x, y in loader:
        with accelerator.accumulate(network):
            loss = torch.nn.functional.mse_loss(compiled(x), y)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
        total += loss.item()
    if best is None or total < best:
        best = total
    accelerator.print(f"epoch {epoch}: loss {total / len(loader):.4f}, best {best / len(loader):.4f}")
accelerator.print("capped:", network.capped)
