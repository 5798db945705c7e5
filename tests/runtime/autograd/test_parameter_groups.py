"""Parameters that a call adds to its optimizer, in each call, where data decide, and refused."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

PROGRAM = """
import torch
from torch import nn

class Trainer(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.net, self.head = nn.Linear(3, 4), nn.Linear(4, 2)
        self.opt = OPTIMIZER
        self.calls = 0

    def describe(self):
        entries = [
            {name: value.clone() if isinstance(value, torch.Tensor) else value for name, value in entry.items()}
            for entry in self.opt.state.values()
        ]
        return entries, [group["lr"] for group in self.opt.param_groups]

    def forward(self, x):
        loss = self.head(self.net(x).relu()).pow(2).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        BODY
        return loss.detach(), self.describe()

def make():
    return Trainer()
"""
OPTIMIZERS = {
    "sgd": "torch.optim.SGD(self.net.parameters(), lr=0.1, momentum=0.9)",
    "adam": "torch.optim.AdamW(self.net.parameters(), lr=0.1, amsgrad=True)",
    "groups": "torch.optim.RMSprop([{'params': [self.net.weight]}, {'params': [self.net.bias], 'lr': 0.5}], lr=0.1)",
}
BODIES = {
    "unfreeze": """
        self.calls += 1
        if self.calls == 2:
            self.opt.add_param_group({"params": self.head.parameters(), "lr": 0.01})
            print("groups", len(self.opt.param_groups))
""",
    "unfreeze by data": """
        if len(self.opt.param_groups) < 2 and loss.item() < 3:
            self.opt.add_param_group({"params": list(self.head.parameters())})
            print("groups", len(self.opt.param_groups))
""",
    "wrong group": """
        try:
            self.opt.add_param_group({"params": [self.net.weight]})
        except ValueError as error:
            print("refused", error)
""",
}
CALLS = [lambda n=n: (torch.full((2, 3), float(n)),) for n in (1, 2, -1, 3, 0.5, -2)]


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("body", BODIES)
def test_parameters_added_in_a_call(tmp_path: Any, optimizer: str, body: str) -> None:
    program = PROGRAM.replace("OPTIMIZER", OPTIMIZERS[optimizer]).replace("BODY", BODIES[body])
    outcome = compare(load(tmp_path, program), CALLS)
    assert [record["mode"] for record in outcome.report["callables"]] == ["whole"], outcome.report


def test_equal_tensors_are_two_members_of_a_set() -> None:
    def f(x: torch.Tensor, first: torch.Tensor, second: torch.Tensor) -> Any:
        return x + 1, {first}.isdisjoint({second}), {first, second}.isdisjoint({second})

    given = torch.ones(1), torch.zeros(1), torch.zeros(1)
    compiled = torch.compile(f, backend="eager", fullgraph=True)
    assert compiled(*given)[1:] == f(*given)[1:] == (True, False)
