"""Members of modules that a call sets or deletes."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

PROGRAM = """
    import torch
    from torch import nn

    class Program(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.Linear(3, 3), nn.Linear(3, 3)
            self.register_buffer("count", torch.zeros(1))
            self.plain = 3

        def forward(self, x):
            {body}
            modules = [name for name, _ in self.named_modules()]
            buffers = [(name, value is not None and value * 1) for name, value in self.named_buffers()]
            return x * 2, modules, buffers, [name for name, _ in self.named_parameters()], len(list(self.modules()))

        def shown(self):
            return list(self._modules), list(self._buffers), list(self._parameters), hasattr(self, "plain")

    def make():
        torch.manual_seed(0)
        return Program()
    """
SET = {
    "a buffer": "self.count = x.sum()",
    "a buffer that is none": "self.count = None",
    "a submodule": "self.first = self.second",
    "a submodule that is none": "self.first = None",
    "an item of the table": "self._buffers['count'] = x.mean()",
    "a buffer, and the mode": "self.count = x.sum(); self.train(not self.training)",
}
DELETED = {
    "a submodule": "del self.second",
    "a buffer": "del self.count",
    "an attribute": "del self.plain",
    "by name": "delattr(self, 'second')",
    "one that may be there": "self.second = self.first; del self.second",
    "one that is looked for": "hasattr(self, 'second') and delattr(self, 'second')",
}
CALLS = [lambda n=n: (torch.full((2, 3), n),) for n in (1.0, -1.0, 3.0)]


@pytest.mark.parametrize("name", SET)
def test_the_state_behind_an_assignment_is_part_of_the_graph(tmp_path: Any, name: str) -> None:
    outcome = compare(load(tmp_path, PROGRAM.format(body=SET[name])), CALLS, grad=False, rounds=4)
    assert outcome.report["callables"][0]["mode"] == "whole"


@pytest.mark.parametrize("name", DELETED)
def test_a_member_is_deleted_once(tmp_path: Any, name: str) -> None:
    compare(load(tmp_path, PROGRAM.format(body=DELETED[name])), CALLS, grad=False, rounds=4)
