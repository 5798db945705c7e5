"""The loss of direct preference optimisation, written with trl's helpers."""

import torch
from trl.trainer.utils import selective_log_softmax

FAMILY = "trl"


def loss(chosen, rejected, chosen_ids, rejected_ids, reference):
    good = selective_log_softmax(chosen, chosen_ids).sum(-1)
    bad = selective_log_softmax(rejected, rejected_ids).sum(-1)
    margin = good - bad - reference
    return -torch.nn.functional.logsigmoid(0.1 * margin).mean(), (margin > 0).float().mean().item()


def model():
    return loss


def calls():
    return [
        (
            torch.randn(2, n, 9),
            torch.randn(2, n, 9),
            torch.randint(0, 9, (2, n)),
            torch.randint(0, 9, (2, n)),
            torch.randn(2),
        )
        for n in (4, 4, 5)
    ]
