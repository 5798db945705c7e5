"""Attributes of optimizers that a call sets are seen by each reference, and kept after the call."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

TEXT = """
    import torch
    import weakref

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(3, 3)
            self.optimizer = torch.optim.SGD(self.layer.parameters(), lr=0.1)
            self.reference = weakref.ref(self.optimizer)
            self.groups = self.optimizer.param_groups

        def forward(self, x):
            {body}

    make = Model
    """
BODIES = {
    "through a weak reference": "self.reference().done = True; return x + getattr(self.optimizer, 'done', 0)",
    "kept for the next call": "self.optimizer.calls = getattr(self.optimizer, 'calls', 0) + 1; return x * 2",
    "behind a graph break": (
        "self.reference().done = True; torch._dynamo.graph_break(); return x + getattr(self.optimizer, 'done', 0)"
    ),
}


@pytest.mark.parametrize("name", BODIES)
def test_an_attribute(tmp_path: Any, name: str) -> None:
    found: list[Any] = []

    def compiled(model: Any, **options: Any) -> Any:
        found.append(model)
        return torch.compile(model, **options)

    compare(load(tmp_path, TEXT.format(body=BODIES[name])), [lambda: (torch.ones(2, 3),)], compile=compiled)
    (model,) = found
    assert getattr(model.optimizer, "calls", 20) == 20 and (hasattr(model.optimizer, "done") or name.startswith("kept"))


@pytest.mark.parametrize("kind", ["SGD", "Adam"])
def test_groups_of_parameters_that_a_call_changes(tmp_path: Any, kind: str) -> None:
    text = f"""
        import torch

        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = torch.nn.Linear(3, 3)
                self.optimizer = torch.optim.{kind}(self.layer.parameters(), lr=0.1)

            def forward(self, x):
                self.layer(x).square().mean().backward()
                self.optimizer.step()
                self.optimizer.zero_grad()
                for group in self.optimizer.param_groups:
                    group["lr"] *= 0.9
                return x + 1

        make = Model
        """
    model = load(tmp_path, text)()
    before = dict(model.optimizer.param_groups[0])
    compiled = torch.compile(model, backend="eager")
    for _ in range(2):
        compiled(torch.ones(2, 3))
    after = model.optimizer.param_groups[0]
    assert list(after) == list(before) and after.get("capturable") == before.get("capturable")
    assert after["lr"] == before["lr"] * 0.9 * 0.9
    model(torch.ones(2, 3))  # in eager Python, where Adam refuses `capturable` on a CPU
