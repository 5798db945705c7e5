"""Queues with a limit from before the call: full ones drop items, whatever the call asks of them, and stay as full."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

CALLS = [lambda n=n: (torch.full((3,), float(n)),) for n in (1, 2, 3)]

PROGRAM = """
    import collections
    import torch

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.recent = collections.deque([torch.zeros(3), torch.ones(3)], maxlen=2)

        def shown(self):
            return repr((self.recent.maxlen, [item.tolist() for item in self.recent]))

        def forward(self, x):
            BODY
            return x + torch.stack(list(self.recent)).mean(0), len(self.recent)

    make = Model
    """

BODIES = {
    "append": "self.recent.append(x * 2)",
    "appendleft": "self.recent.appendleft(x * 2)",
    "both": "self.recent.append(x * 2); self.recent.appendleft(x)",
    "extend": "self.recent.extend([x, x * 2, x * 3])",
    "popped": "self.recent.popleft(); self.recent.append(x)",
}


@pytest.mark.parametrize("name", BODIES)
def test_a_full_queue_stays_as_full(name: str, tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, PROGRAM.replace("BODY", BODIES[name])), CALLS, grad=False, rounds=4)
    assert outcome.graphs == 1
