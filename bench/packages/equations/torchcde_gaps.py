"""Paths through series with gaps."""

import torch
import torchcde

FAMILY = "torchcde"
GRAD = False


def path(x):
    line = torchcde.LinearInterpolation(torchcde.linear_interpolation_coeffs(x))
    return line.evaluate(1.5), line.derivative(0.5)


def model():
    return path


def calls():
    full = torch.randn(2, 4, 2)
    gaps = full.clone()
    gaps[0, 1, 0] = float("nan")
    return [(full,), (gaps,), (torch.randn(2, 4, 2),)]
