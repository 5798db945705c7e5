"""Deferred work beside operators with a body, such as hooks: Dynamo copies its record of side effects there."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

PROGRAM = """
import torch

class Program(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = torch.nn.Linear(3, 3, bias=False)
        self.norms = []

    def shown(self):
        return self.norms

    def forward(self, x):
        {body}

def make():
    return Program()
"""

HOOK = "a.register_hook(lambda g: g * 2)"
BODIES = {
    "a print before": f"a = self.gate(x); print(a.mean().item()); {HOOK}; return a",
    "a print behind": f"a = self.gate(x); {HOOK}; print(a.mean().item()); return a * 2",
    "two results": f"a = self.gate(x); print(a.mean().item()); {HOOK}; return a, a.sum()",
    "a record": f"a = self.gate(x); self.norms.append(a.norm().item()); {HOOK}; return a",
    "a record and a print": f"a = self.gate(x); self.norms.append(1); print('told'); {HOOK}; return a",
    "two hooks": f"a = self.gate(x); print(1); {HOOK}; b = a * 3; b.register_hook(torch.neg); print(2); return b",
}
BODY_WITH_OPERATOR = {
    "checkpoint": "y = self.gate(x); print(y.sum().item()); "
    "return torch.utils.checkpoint.checkpoint(torch.sin, y, use_reentrant=False)",
    "vmap": "y = self.gate(x); print(y.sum().item()); return torch.vmap(torch.sin)(y)",
    "cond": "y = self.gate(x); print(y.sum().item()); return torch.cond(y.sum() > 0, torch.sin, torch.cos, (y,))",
}
CALLS = [lambda: (torch.ones(2, 3),), lambda: (torch.rand(2, 3),)]


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("name", [*BODIES, *BODY_WITH_OPERATOR])
def test_nothing_is_lost(tmp_path: Any, name: str, backend: str) -> None:
    program = PROGRAM.format(body={**BODIES, **BODY_WITH_OPERATOR}[name])
    outcome = compare(load(tmp_path, program), CALLS, name != "cond", backend)
    if name in BODIES:
        assert outcome.report["callables"][0]["mode"] == "whole"
