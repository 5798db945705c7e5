"""Filters: blur, edges, Canny, the median."""

import torch
from kornia.filters import Canny, bilateral_blur, gaussian_blur2d, median_blur, sobel, unsharp_mask

FAMILY = "kornia"
GRAD = False


class Filters(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.canny = Canny()

    def forward(self, x):
        strength, edges = self.canny(x)
        smooth = gaussian_blur2d(x, (3, 3), (1.0, 1.0)) + median_blur(x, (3, 3))
        smooth = smooth + bilateral_blur(x, (3, 3), 0.1, (1.5, 1.5))
        return strength, edges, smooth, sobel(x), unsharp_mask(x, (3, 3), (1.0, 1.0))


def model():
    return Filters()


def calls():
    return [(torch.rand(1, 3, n, n),) for n in (10, 10, 12)]
