"""The loss of a sparse classifier with targets that are left out."""

import torch
from entmax import Entmax15Loss, SparsemaxLoss

FAMILY = "entmax"


class Head(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(6, 5)
        self.first, self.second = Entmax15Loss(ignore_index=0), SparsemaxLoss(ignore_index=0)

    def forward(self, x, y):
        scores = self.layer(x)
        return self.first(scores, y) + self.second(scores, y)


def model():
    return Head()


def calls():
    return [(torch.randn(n, 6), torch.randint(0, 5, (n,))) for n in (7, 7, 4)]
