"""Conversions of tensors that are already what they are to become."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare
from torch.overrides import TorchFunctionMode


class Moved(torch.nn.Module):
    """A module that moves its buffers to the type and device of the input."""

    def __init__(self) -> None:
        super().__init__()
        self.table = torch.nn.Buffer(torch.arange(2.0))
        self.hidden = torch.nn.Buffer(torch.ones(2), persistent=False)
        self.register_buffer("scale", torch.full((2,), 3.0))
        self.linear = torch.nn.Linear(2, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.table = self.table.to(device=x.device, dtype=torch.float32)
        self.hidden = self.hidden.to(torch.float32)
        self.scale = self.scale.to("cpu", torch.float32)
        return self.linear(x.float()) * self.scale + self.table - self.hidden

    def shown(self) -> Any:
        kept = self.state_dict().keys()
        return list(kept), self.table.persistent, self.hidden.persistent, list(dict(self.named_buffers()))


def calls(dtype: torch.dtype = torch.float32) -> list:
    return [lambda: (torch.tensor([[1.0, 2.0]], dtype=dtype),), lambda: (torch.tensor([[-1.0, 0.5]], dtype=dtype),)]


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("fullgraph", [False, True])
def test_buffers_that_stay_where_they_are(backend: str, fullgraph: bool) -> None:
    outcome = compare(Moved, calls(), True, backend, fullgraph=fullgraph)
    assert outcome.graphs == 1


def written(x):
    y = x.to(x.dtype)
    y.add_(1)
    return y is x, x * 2


def copied(x):
    y = x.to(x.dtype, copy=True)
    y.add_(1)
    return y is x, x * 2


def widened(x):
    y = x.to(torch.float64)
    return y is x, y * 2


def arranged(x):
    y = x.to(memory_format=torch.contiguous_format, dtype=x.dtype)
    return y * 2


def alike(x):
    return x.to(x.new_zeros(1)) * 2, x.to("cpu", non_blocking=True), x.to(x.dtype, False, False) + 1


@pytest.mark.parametrize("function", [written, copied, widened, arranged, alike])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_identity(function: Any, dtype: torch.dtype) -> None:
    compare(lambda: function, calls(dtype), grad=False)


class Counted(torch.Tensor):
    """A tensor that decides itself what its methods do."""

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if function is torch.Tensor.to:
            return super().__torch_function__(function, types, args, kwargs) + 1
        return super().__torch_function__(function, types, args, kwargs)


class Doubling(TorchFunctionMode):
    """A mode that decides what conversions do."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        return result * 2 if function is torch.Tensor.to else result


def test_a_tensor_of_another_class() -> None:
    def function(x):
        return x.as_subclass(Counted).to(x.dtype).as_subclass(torch.Tensor) * 2

    compare(lambda: function, calls(), grad=False)


def test_a_mode() -> None:
    def function(x):
        with Doubling():
            return x.to(x.dtype) + 1

    compare(lambda: function, calls(), grad=False)
