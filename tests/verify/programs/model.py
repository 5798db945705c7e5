"""Things to verify by name."""

import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)
        self.register_buffer("seen", torch.zeros(1))

    def forward(self, x):
        self.seen += 1
        y = self.linear(x)
        if torch.isinf(y).any():
            y = torch.clamp(y, -10, 10)
        return torch.nn.functional.dropout(y, 0.5)


def make_net():
    return Net().eval()


def gated(x):
    y = x + 1
    if y.sum() > 0:
        y = y * 2
    return y


def gated_inputs():
    return torch.ones(8)


def inputs():
    return [torch.randn(2, 4), (torch.randn(3, 4),), {"x": torch.randn(2, 4)}]
