"""A training step of an autoencoder with a codebook, and how much of the codebook is used."""

import torch
from vector_quantize_pytorch import VectorQuantize

FAMILY = "vectorquantize"
GRAD = False
IGNORE_STATE = ["optimizer"]


class Step(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encode, self.decode = torch.nn.Linear(6, 4), torch.nn.Linear(4, 6)
        self.quantize = VectorQuantize(dim=4, codebook_size=8, decay=0.9, threshold_ema_dead_code=1)
        self.optimizer = torch.optim.Adam(self.parameters(), lr=1e-3)

    def forward(self, x):
        found, indices, commit = self.quantize(self.encode(x))
        loss = torch.nn.functional.l1_loss(self.decode(found), x) + commit.sum()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        used = indices.unique().numel() / 8
        return loss.detach(), used


def model():
    return Step().train()


def calls():
    return [(torch.randn(2, 6, 6),) for _ in range(4)]
