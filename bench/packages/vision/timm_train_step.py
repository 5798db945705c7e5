"""A training step with timm's optimiser, a scheduler and an average of the weights."""

import timm.optim
import torch
from timm.scheduler import CosineLRScheduler
from timm.utils import ModelEmaV2, accuracy

FAMILY = "timm"
GRAD = False
IGNORE_STATE = ["optimizer", "scheduler"]


class Step(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(6, 4)
        self.average = ModelEmaV2(self.net, decay=0.9)
        self.optimizer = timm.optim.create_optimizer_v2(self.net, opt="adamw", lr=0.01)
        self.scheduler = CosineLRScheduler(self.optimizer, t_initial=20, lr_min=1e-4)
        self.count = 0

    def forward(self, x, y):
        found = self.net(x)
        loss = torch.nn.functional.cross_entropy(found, y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.average.update(self.net)
        self.count += 1
        self.scheduler.step_update(self.count)
        top1, top2 = accuracy(found.detach(), y, topk=(1, 2))
        return loss.detach(), top1, top2


def model():
    return Step()


def calls():
    return [(torch.randn(5, 6), torch.randint(0, 4, (5,))) for _ in range(4)]
