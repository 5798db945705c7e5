"""The training step of a Lightning module, with its logs."""

import lightning
import torch
import torchmetrics

FAMILY = "lightning"


class Classifier(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.save_hyperparameters()
        self.net = torch.nn.Linear(6, 3)
        self.accuracy = torchmetrics.classification.MulticlassAccuracy(3)

    def forward(self, x, y):
        return self.training_step((x, y), 0)

    def training_step(self, batch, index):
        x, y = batch
        found = self.net(x)
        loss = torch.nn.functional.cross_entropy(found, y)
        self.accuracy.update(found, y)
        if self.trainer_or_none() is not None:
            self.log("loss", loss)
        return loss

    def trainer_or_none(self):
        return self._trainer


def model():
    return Classifier()


def calls():
    return [(torch.randn(n, 6), torch.randint(0, 3, (n,))) for n in (5, 5, 7)]
