"""Hooks of modules that come and go between the calls."""

from __future__ import annotations

from typing import Any

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


def calls(*numbers: float) -> list:
    return [lambda n=n: (torch.full((2,), n),) for n in numbers]


def test_a_hook_that_a_call_adds_runs_in_the_next_call(tmp_path: Any) -> None:
    compare(load(tmp_path, HEAD + ADDED), calls(1, -9, 0, 0, -9, 0), grad=False, rounds=6)


def test_a_hook_that_removes_itself_can_come_back(tmp_path: Any) -> None:
    compare(load(tmp_path, HEAD + REMOVED), calls(0, 2, 1, -9, 0, 0), grad=False, rounds=6)


def test_a_module_with_a_hook_of_its_own_is_whole(tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, HEAD + BEFORE), calls(1, -1, 3))
    assert outcome.report["callables"][0]["mode"] == "whole"
