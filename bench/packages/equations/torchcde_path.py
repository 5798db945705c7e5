"""A controlled equation over an interpolated path."""

import torch
import torchcde

FAMILY = "torchcde"


class Field(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4 * 2)

    def forward(self, time, state):
        return self.layer(state).tanh().view(*state.shape[:-1], 4, 2)


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.start, self.field = torch.nn.Linear(2, 4), Field()

    def forward(self, x):
        path = torchcde.CubicSpline(torchcde.hermite_cubic_coefficients_with_backward_differences(x))
        state = self.start(path.evaluate(path.interval[0]))
        return torchcde.cdeint(path, self.field, state, path.interval, method="rk4", adjoint=False)[:, -1]


def model():
    return Network()


def calls():
    return [(torch.randn(2, 4, 2),) for _ in range(2)]
