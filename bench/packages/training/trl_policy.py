"""Rewards, advantages and the clipped loss of a policy, with what a log would say of them."""

import torch
from trl.trainer.utils import selective_log_softmax

FAMILY = "trl"


class Policy(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.head = torch.nn.Linear(8, 9)
        self.metrics = {}

    def forward(self, hidden, ids, mask, old, rewards):
        found = selective_log_softmax(self.head(hidden), ids)
        grouped = rewards.view(-1, 2)
        spread = grouped.std(1, keepdim=True)
        advantages = ((grouped - grouped.mean(1, keepdim=True)) / (spread + 1e-4)).view(-1, 1)
        ratio = torch.exp(found - old)
        clipped = ratio.clamp(0.8, 1.2)
        each = -torch.min(ratio * advantages, clipped * advantages)
        loss = (each * mask).sum() / mask.sum()
        self.metrics.setdefault("clip", []).append(((ratio != clipped) * mask).sum().item() / mask.sum().item())
        self.metrics.setdefault("reward", []).append(rewards.mean().item())
        if (spread == 0).all():
            print("every group has one reward")
        return loss


def model():
    return Policy()


def calls():
    found = []
    for n in (4, 4, 5):
        rewards = torch.tensor([1.0, 1.0, 0.5, 0.5]) if n == 5 else torch.rand(4)
        mask = torch.ones(4, n)
        mask[0, 2:] = 0
        found.append((torch.randn(4, n, 8), torch.randint(0, 9, (4, n)), mask, torch.randn(4, n), rewards))
    return found
