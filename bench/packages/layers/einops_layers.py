"""Layers of einops around a convolution."""

import torch
from einops import einsum, pack, rearrange, reduce, repeat, unpack
from einops.layers.torch import Rearrange, Reduce

FAMILY = "einops"


class Patches(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = Rearrange("b c (h p) (w q) -> b (h w) (p q c)", p=2, q=2)
        self.layer = torch.nn.Linear(4, 6)
        self.pool = Reduce("b n d -> b d", "mean")

    def forward(self, x):
        tokens = self.layer(self.patches(x))
        joined, shapes = pack([tokens, reduce(tokens, "b n d -> b d", "max")], "b * d")
        first, second = unpack(joined, shapes, "b * d")
        weights = einsum(first, second, "b n d, b d -> b n")
        return self.pool(first) + repeat(weights.mean(1), "b -> b d", d=6), rearrange(second, "b d -> d b")


def model():
    return Patches()


def calls():
    return [(torch.randn(n, 1, 4, 4),) for n in (2, 2, 3)]
