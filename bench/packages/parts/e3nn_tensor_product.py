"""A message of a network that is equivariant under rotation."""

import torch
from e3nn import nn, o3

FAMILY = "e3nn"


class Message(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.sphere = o3.Irreps.spherical_harmonics(1)
        self.product = o3.FullyConnectedTensorProduct("4x0e", self.sphere, "4x0e+2x1o", shared_weights=False)
        self.weights = nn.FullyConnectedNet([3, 8, self.product.weight_numel], torch.nn.functional.silu)

    def forward(self, x, positions, lengths):
        angles = o3.spherical_harmonics(self.sphere, positions, normalize=True, normalization="component")
        return self.product(x, angles, self.weights(lengths))


def model():
    return Message()


def calls():
    return [(torch.randn(n, 4), torch.randn(n, 3), torch.rand(n, 3)) for n in (5, 5, 6)]
