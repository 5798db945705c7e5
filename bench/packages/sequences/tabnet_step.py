"""A training step of a table network with its penalty for sparsity."""

import torch
from pytorch_tabnet.tab_network import TabNet

FAMILY = "tabnet"
GRAD = False
IGNORE_STATE = ["optimizer"]


class Step(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = TabNet(6, 3, n_d=4, n_a=4, n_steps=2, virtual_batch_size=4, group_attention_matrix=torch.eye(6))
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=2e-2)

    def forward(self, x, y):
        for parameter in self.net.parameters():
            parameter.grad = None
        found, sparse = self.net(x)
        loss = torch.nn.functional.cross_entropy(found, y) - 1e-3 * sparse
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1)
        self.optimizer.step()
        return {"loss": loss.cpu().detach().numpy().item(), "batch_size": x.shape[0]}


def model():
    return Step().train()


def calls():
    return [(torch.randn(8, 6), torch.randint(0, 3, (8,))) for _ in range(3)]
