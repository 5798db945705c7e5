"""Quality of images."""

import torch
from torchmetrics.functional.image import peak_signal_noise_ratio, structural_similarity_index_measure

FAMILY = "torchmetrics"
GRAD = False


def step(image, target):
    noise = peak_signal_noise_ratio(image, target, data_range=1.0)
    return noise, structural_similarity_index_measure(image, target, data_range=1.0)


def model():
    return step


def calls():
    return [(torch.rand(2, 1, 16, 16), torch.rand(2, 1, 16, 16)) for _ in range(3)]
