"""Attention in windows, with a mask and padding to a multiple of the window."""

import torch
from local_attention import LocalAttention

FAMILY = "localattention"


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.attend = LocalAttention(dim=4, window_size=4, causal=True, autopad=True, dropout=0.1)
        self.mix = torch.nn.Linear(4, 12)

    def forward(self, x, lengths):
        mask = torch.arange(x.shape[1])[None] < lengths[:, None]
        if not mask.any():
            raise ValueError("every sequence is empty")
        return self.attend(*self.mix(x).chunk(3, -1), mask=mask)


def model():
    return Layer().train()


def calls():
    return [(torch.randn(2, n, 4), torch.tensor([n, 2])) for n in (8, 8, 6)]
