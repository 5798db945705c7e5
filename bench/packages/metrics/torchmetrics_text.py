"""Perplexity of a language model, and the running mean of its loss."""

import torch
from torchmetrics.aggregation import RunningMean
from torchmetrics.text import Perplexity

FAMILY = "torchmetrics"


class Evaluate(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.head = torch.nn.Embedding(10, 6), torch.nn.Linear(6, 10)
        self.perplexity, self.mean = Perplexity(ignore_index=0), RunningMean(window=2)

    def forward(self, tokens):
        scores = self.head(self.embed(tokens[:, :-1]))
        loss = torch.nn.functional.cross_entropy(scores.flatten(0, 1), tokens[:, 1:].flatten(), ignore_index=0)
        self.mean.update(loss.detach())
        return loss, self.perplexity(scores.detach(), tokens[:, 1:])


def model():
    return Evaluate()


def calls():
    return [(torch.randint(0, 10, (2, n)),) for n in (6, 6, 8)]
