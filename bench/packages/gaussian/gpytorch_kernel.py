"""A kernel evaluated as a matrix."""

import gpytorch
import torch

FAMILY = "gpytorch"


class Covariance(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.MaternKernel(nu=2.5))

    def forward(self, x):
        return self.kernel(x).to_dense()


def model():
    return Covariance()


def calls():
    return [(torch.randn(n, 2),) for n in (5, 5, 6)]
