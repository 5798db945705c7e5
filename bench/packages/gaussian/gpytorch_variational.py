"""The bound of a variational Gaussian process."""

import gpytorch
import torch

FAMILY = "gpytorch"


class Process(gpytorch.models.ApproximateGP):
    def __init__(self):
        points = torch.rand(4, 1)
        distribution = gpytorch.variational.CholeskyVariationalDistribution(4)
        strategy = gpytorch.variational.VariationalStrategy(self, points, distribution)
        super().__init__(strategy)
        self.mean, self.kernel = gpytorch.means.ConstantMean(), gpytorch.kernels.RBFKernel()

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean(x), self.kernel(x))


class Bound(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.process, self.likelihood = Process(), gpytorch.likelihoods.GaussianLikelihood()
        self.bound = gpytorch.mlls.VariationalELBO(self.likelihood, self.process, num_data=20)

    def forward(self, x, y):
        return -self.bound(self.process(x), y)


def model():
    return Bound().train()


def calls():
    return [(torch.rand(6, 1), torch.randn(6)) for _ in range(3)]
