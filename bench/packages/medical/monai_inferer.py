"""A validation step: scores, labels after processing, and the mean Dice of a batch."""

import torch
from monai.inferers import SimpleInferer
from monai.losses import GeneralizedDiceLoss
from monai.metrics import compute_iou

FAMILY = "monai"


class Validate(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Conv2d(1, 2, 3, padding=1)
        self.infer, self.loss = SimpleInferer(), GeneralizedDiceLoss(to_onehot_y=True, softmax=True)

    def forward(self, image, label):
        scores = self.infer(inputs=image, network=self.net)
        loss = self.loss(scores, label)
        found = torch.nn.functional.one_hot(scores.argmax(1), 2).movedim(-1, 1)
        truth = torch.nn.functional.one_hot(label[:, 0].long(), 2).movedim(-1, 1)
        overlap = compute_iou(found, truth, include_background=False)
        return loss, torch.nanmean(overlap).item()


def model():
    return Validate()


def calls():
    return [(torch.rand(2, 1, 8, 8), torch.rand(2, 1, 8, 8).round()) for _ in range(3)]
