"""A step with an optimiser and a schedule of timm, an average of the weights and meters."""

import torch
from timm.optim import create_optimizer_v2
from timm.scheduler import CosineLRScheduler
from timm.utils import AverageMeter, ModelEmaV2, accuracy

FAMILY = "timm"
GRAD = False
IGNORE_STATE = ["optimizer", "schedule", "meter"]


class Step(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(12, 6))
        self.optimizer = create_optimizer_v2(self.net, opt="adamw", lr=1e-3, weight_decay=0.05)
        self.schedule = CosineLRScheduler(self.optimizer, t_initial=10, warmup_t=2)
        self.average, self.meter, self.updates = ModelEmaV2(self.net, decay=0.9), AverageMeter(), 0

    def forward(self, x, y):
        scores = self.net(x)
        loss = torch.nn.functional.cross_entropy(scores, y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.average.update(self.net)
        self.updates += 1
        self.schedule.step_update(num_updates=self.updates, metric=loss.item())
        first, _ = accuracy(scores, y, topk=(1, 3))
        self.meter.update(first.item(), x.size(0))
        return loss.detach(), self.meter.avg


def model():
    return Step().train()


def calls():
    return [(torch.rand(4, 3, 2, 2), torch.randint(0, 6, (4,))) for _ in range(3)]
