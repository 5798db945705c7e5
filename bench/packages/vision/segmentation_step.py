"""A training step of a segmentation model, with the overlap of what it finds."""

import segmentation_models_pytorch as smp
import torch

FAMILY = "segmentation"
GRAD = False
IGNORE_STATE = ["optimizer"]


class Step(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(
            torch.nn.Conv2d(3, 6, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(6, 1, 3, padding=1)
        )
        self.loss = smp.losses.DiceLoss(mode="binary")
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=1e-2)

    def forward(self, image, mask):
        if mask.max() > 1.0 or mask.min() < 0:
            raise ValueError("a mask holds zeros and ones")
        scores = self.net(image)
        loss = self.loss(scores, mask)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        found = (scores.sigmoid() > 0.5).long()
        counts = smp.metrics.get_stats(found, mask.long(), mode="binary")
        return loss.item(), smp.metrics.iou_score(*counts, reduction="micro")


def model():
    return Step().train()


def calls():
    return [(torch.rand(2, 3, 8, 8), torch.rand(2, 1, 8, 8).round()) for _ in range(3)]
