"""Selections between rows of integers with other strides: one graph, unless the program can tell the strides."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

STEPS = """
    import torch
    from torch import nn

    class Decoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.head = nn.Embedding(7, 4), nn.Linear(4, 7)
        def forward(self, h, targets):
            token = torch.zeros(h.shape[0], dtype=torch.long)
            for n in range(targets.shape[1]):
                h = torch.tanh(h + self.table(token))
                logits = self.head(h)
                if logits.mean() > 0:
                    token = targets[:, n]
                else:
                    token = logits.argmax(-1)
            {end}
    make = Decoder
    """
WHOLE = {
    "tokens are looked up": "return self.table(token), logits",
    "tokens are put together": "return torch.cat([targets, token.unsqueeze(1)], 1), token[None] + 1",
}
TOLD = {
    "a token leaves the call": "return token",
    "strides": "return token * 2, token.stride(), token.is_contiguous()",
    "a view": "return token.view(2, 2) * 2, token.view(2, 2).stride()",
    "a write": "token.add_(1); return token + targets[:, n], targets",
    "numbers that are rounded": "return (token.float() if h.sum() > 0 else h[:, 1]).sum()",
}


def calls() -> list[Any]:
    def made(n: int) -> Any:
        generator = torch.Generator().manual_seed(n)
        return torch.randn(4, 4, generator=generator) * 3, torch.randint(0, 7, (4, 3), generator=generator)

    return [lambda n=n: made(n) for n in range(6)]


@pytest.mark.parametrize("name", WHOLE)
def test_rows_are_selected(tmp_path: Any, name: str) -> None:
    outcome = compare(load(tmp_path, STEPS.format(end=WHOLE[name])), calls())
    assert outcome.mended("GM101") and outcome.graphs == 1


@pytest.mark.parametrize("name", TOLD)
def test_what_tells_the_strides_is_as_in_python(tmp_path: Any, name: str) -> None:
    compare(load(tmp_path, STEPS.format(end=TOLD[name])), calls())
