"""A Lightning module whose weights are averaged after a step."""

import lightning
import torch

FAMILY = "lightning"
GRAD = False
IGNORE_STATE = ["optimizer"]


class Averaged(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.BatchNorm1d(6), torch.nn.Linear(6, 2))
        self.mean = torch.optim.swa_utils.AveragedModel(self.net)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.05)

    def training_step(self, batch, index):
        x, y = batch
        return torch.nn.functional.cross_entropy(self.net(x), y)

    def forward(self, x, y):
        loss = self.training_step((x, y), 0)
        self.optimizer.zero_grad()
        self.manual_or_plain(loss)
        self.optimizer.step()
        self.mean.update_parameters(self.net)
        return loss.detach()

    def manual_or_plain(self, loss):
        if self._trainer is None:
            loss.backward()
        else:
            self.manual_backward(loss)


def model():
    return Averaged().train()


def calls():
    return [(torch.randn(6, 4), torch.randint(0, 2, (6,))) for _ in range(4)]
