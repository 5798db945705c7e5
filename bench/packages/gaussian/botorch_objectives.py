"""Helpers of botorch: standardised data, hypervolumes, smooth maxima."""

import torch
from botorch.utils.multi_objective import is_non_dominated
from botorch.utils.safe_math import log_softplus, logmeanexp, smooth_amax
from botorch.utils.transforms import normalize, standardize, unnormalize

FAMILY = "botorch"


def scale(x, y):
    bounds = torch.stack([x.amin(0), x.amax(0)])
    inner = normalize(x, bounds)
    smooth = smooth_amax(y), logmeanexp(log_softplus(y), dim=0)
    return unnormalize(inner, bounds), standardize(y), is_non_dominated(y), smooth


def model():
    return scale


def calls():
    return [(torch.rand(n, 2, dtype=torch.float64), torch.rand(n, 2, dtype=torch.float64)) for n in (6, 6, 8)]
