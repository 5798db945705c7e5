"""Boxes that are clipped, filtered by their size and matched by their overlap."""

import torch
from torchvision.ops import box_iou, clip_boxes_to_image, generalized_box_iou_loss, remove_small_boxes

FAMILY = "torchvision"


def match(boxes, targets):
    boxes = clip_boxes_to_image(boxes, (16, 16))
    kept = boxes[remove_small_boxes(boxes, 1.0)]
    overlap = box_iou(kept, targets)
    best, index = overlap.max(1)
    index = torch.where(best > 0.1, index, -1)
    good = index >= 0
    if not good.any():
        return kept.sum() * 0.0
    return generalized_box_iou_loss(kept[good], targets[index[good]], reduction="mean")


def model():
    return match


def boxes(n):
    corner = 12 * torch.rand(n, 2)
    return torch.cat([corner, corner + 4 * torch.rand(n, 2)], 1)


def calls():
    return [(boxes(8), boxes(3)) for _ in range(2)] + [(boxes(6) * 0.2, boxes(2) * 0.2 + 12.0)]
