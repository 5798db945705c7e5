"""`torch.autograd.grad` of the tensors of an iterator, in one graph."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import CountingBackend

from graphmend.runtime.autograd import gradient_api


class Step(torch.nn.Module):
    """A step of gradient descent by hand."""

    def __init__(self, by_name: bool) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)
        self.by_name = by_name

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        loss = self.layer(x).square().mean()
        if self.by_name:
            gradients = torch.autograd.grad(outputs=loss, inputs=(p for p in self.layer.parameters()))
        else:
            gradients = torch.autograd.grad(loss, self.layer.parameters())
        with torch.no_grad():
            for parameter, gradient in zip(self.layer.parameters(), gradients):
                parameter -= 0.1 * gradient
        return loss.detach()


@pytest.mark.skipif(not gradient_api.can_trace_gradients(), reason="this torch breaks at `torch.autograd.grad`")
@pytest.mark.parametrize("by_name", [False, True])
def test_the_parameters_of_a_module(by_name: bool) -> None:
    torch._dynamo.reset()
    torch.manual_seed(0)
    plain, mended = Step(by_name), Step(by_name)
    mended.load_state_dict(plain.state_dict())
    counting = CountingBackend()
    compiled: Any = torch.compile(mended, backend=counting)
    for _ in range(3):
        x = torch.randn(3, 4)
        torch.testing.assert_close(compiled(x), plain(x))
    torch.testing.assert_close(mended.layer.weight, plain.layer.weight)
    assert len(counting.graphs) == 1
