"""Kept tensors behind a compiler: values, identity and gradients are those of eager Python, with one graph a length."""

from __future__ import annotations

from typing import Any

import torch
from harness import CountingBackend, load, start

import graphmend.runtime as runtime

PROGRAM = """
    import collections
    import torch

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(3, 3)
            self.kept, self.shared, self.losses = [], [], []
            self.recent = collections.deque(maxlen=2)

        def shown(self):
            rows = [self.kept, self.shared, self.losses, self.recent]
            items = [item for row in rows for item in row]
            tensors = [part for item in items for part in (item if isinstance(item, (tuple, list)) else [item])]
            values = [(part.tolist(), part.requires_grad) for part in tensors]
            same = [[one is other for other in tensors] for one in tensors]
            return repr((values, same))

        def forward(self, x):
            y = self.linear(x)
            pair = (y, y.detach())
            self.kept.append(pair)
            self.shared.append(pair)
            rows = [y]
            self.kept.append(rows)
            rows.append(x)
            self.losses.append(y.square().sum())
            self.recent.append(y.sum())
            self.kept.append(y > 0)
            print(len(self.losses), y.sum().item())
            z = y.detach() * 1
            self.kept.append(z)
            z.add_(1)
            return y * 2

    make = Model
    """


def observe(make: Any, backend: Any) -> tuple[list[Any], torch.Tensor]:
    """What the program keeps after each call, and the gradient of what it has kept in all calls."""
    model, function = start(make, backend)
    kept = []
    for n in range(1, 5):
        function(torch.full((3,), float(n)))
        kept.append(model.shown())
    (sum(model.losses) + model.recent[-1]).backward()
    return kept, model.linear.weight.grad


def test_kept_tensors_are_those_of_eager_python(tmp_path: Any) -> None:
    make, backend = load(tmp_path, PROGRAM), CountingBackend("aot_eager")
    (expected, gradient), (got, other_gradient) = observe(make, None), observe(make, backend)
    assert got == expected and torch.allclose(gradient, other_gradient)
    assert len(backend.graphs) == 1
    assert sum(bool(fate["mended"]) for fate in runtime.report()["sites"].values()) == 8
