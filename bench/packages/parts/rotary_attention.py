"""Attention with rotary positions that are kept between calls."""

import torch
from rotary_embedding_torch import RotaryEmbedding

FAMILY = "rotary"


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.rotary = RotaryEmbedding(dim=4, cache_max_seq_len=16)
        self.mix = torch.nn.Linear(8, 24)

    def forward(self, x):
        b, n, _ = x.shape
        q, k, v = self.mix(x).view(b, n, 3, 2, 4).permute(2, 0, 3, 1, 4)
        q, k = self.rotary.rotate_queries_or_keys(q), self.rotary.rotate_queries_or_keys(k)
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)


def model():
    return Attention()


def calls():
    return [(torch.randn(2, n, 8),) for n in (4, 4, 7, 3)]
