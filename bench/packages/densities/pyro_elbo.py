"""The evidence bound of a small model and guide."""

import pyro
import pyro.distributions as dist
import torch
from pyro.infer import Trace_ELBO

FAMILY = "pyro"


class Bound(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = torch.nn.Parameter(torch.zeros(()))
        self.elbo = Trace_ELBO()

    def program(self, x):
        level = pyro.sample("level", dist.Normal(0.0, 1.0))
        with pyro.plate("data", x.shape[0]):
            pyro.sample("seen", dist.Normal(level, 1.0), obs=x)

    def guide(self, x):
        pyro.sample("level", dist.Normal(self.mean, 0.5))

    def forward(self, x):
        return self.elbo.differentiable_loss(self.program, self.guide, x)


def model():
    pyro.clear_param_store()
    return Bound()


def calls():
    return [(torch.randn(5),) for _ in range(3)]
