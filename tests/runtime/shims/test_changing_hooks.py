"""Hooks of modules that come and go between the calls."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

HEAD = """
    import torch
    def add_one(module, inputs, output):
        return output + 1
    """
ADDED = """
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.nn.Identity()
        def forward(self, x):
            y = self.inner(x)
            if y.sum() < 0:
                self.inner.register_forward_hook(add_one)
            return y
    make = Model
    """
REMOVED = """
    def once(module, inputs, output):
        if output.sum() > 3:
            module.handle.remove()
        return output + 1
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.nn.Identity()
            self.inner.handle = self.inner.register_forward_hook(once)
        def forward(self, x):
            y = self.inner(x)
            if y.sum() < 0:
                self.inner.handle = self.inner.register_forward_hook(once)
            return y
    make = Model
    """
BEFORE = """
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.nn.Linear(2, 2)
            self.inner.register_forward_hook(add_one)
        def forward(self, x):
            y = self.inner(x)
            if y.sum() > 0:
                y = y * 2
            return y
    make = Model
    """

INNER = {
    "print": "print('inner'); return x * 2",
    "branch": "return x * 2 if x.sum() > 0 else x * 3",
    "number": "return x * float(x[0])",
    "guard": "assert not x.isnan().any(); return x + 1",
    "layer": "return self.layer(x[None])[0][0]",
}
LATE = """
    import torch
    class Inner(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.GRU(2, 2)
        def forward(self, x):
            {body}
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Inner()
        def forward(self, x):
            return self.inner(x) + 1
    make = Model
    """


def calls(*numbers: float) -> list[Any]:
    return [lambda n=n: (torch.full((2,), n),) for n in numbers]


def test_a_hook_that_a_call_adds_runs_in_the_next_call(tmp_path: Any) -> None:
    compare(load(tmp_path, HEAD + ADDED), calls(1, -9, 0, 0, -9, 0), grad=False, rounds=6)


def test_a_hook_that_removes_itself_can_come_back(tmp_path: Any) -> None:
    compare(load(tmp_path, HEAD + REMOVED), calls(0, 2, 1, -9, 0, 0), grad=False, rounds=6)


def test_a_module_with_a_hook_of_its_own_is_whole(tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, HEAD + BEFORE), calls(1, -1, 3))
    assert outcome.report["callables"][0]["mode"] == "whole"


def results(function: Any, hooked: Any) -> list[Any]:
    """The results of four calls; the third finds a hook that the program has registered before."""
    found = []
    for number in (1.0, 2.0, 3.0, -4.0):
        if number == 3.0:
            hooked.register_forward_hook(lambda module, inputs, output: output * 3)
            hooked.register_forward_pre_hook(lambda module, inputs: (inputs[0] + 1,))
        found.append([item.tolist() for item in function(torch.full((2,), number))])
    return found


@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("grad", [False, True], ids=["values", "gradients"])
def test_a_hook_from_between_two_calls_runs(tmp_path: Any, inner: str, grad: bool) -> None:
    make = load(tmp_path, LATE.format(body=INNER[inner]))
    found = []
    for backend in (None, "eager"):
        torch._dynamo.reset()
        torch.manual_seed(0)
        model = make()
        function = model if backend is None else torch.compile(model, backend=backend)
        with torch.set_grad_enabled(grad):
            found.append(results(function, model.inner))
    assert found[0] == found[1]
