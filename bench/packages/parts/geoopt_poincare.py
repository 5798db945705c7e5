"""Embeddings in hyperbolic space, trained with Riemannian Adam."""

import geoopt
import torch

FAMILY = "geoopt"
GRAD = False
IGNORE_STATE = ["optimizer"]


class Step(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.ball = geoopt.PoincareBall()
        points = self.ball.expmap0(0.1 * torch.randn(6, 2))
        self.points = geoopt.ManifoldParameter(points, manifold=self.ball)
        self.optimizer = geoopt.optim.RiemannianAdam(self.parameters(), lr=1e-2)

    def forward(self, left, right, close):
        self.optimizer.zero_grad()
        distance = self.ball.dist(self.points[left], self.points[right])
        loss = torch.nn.functional.binary_cross_entropy_with_logits(-distance, close)
        loss.backward()
        self.optimizer.step()
        return loss.detach()


def model():
    return Step()


def calls():
    return [(torch.randint(0, 6, (5,)), torch.randint(0, 6, (5,)), torch.rand(5).round()) for _ in range(3)]
