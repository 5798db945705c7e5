from __future__ import annotations
from typing import Any
import copy
import pytest, torch
from harness import compare, load

PROGRAM = """
import copy, torch
from torch import nn

class Trainer(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.net, self.head = nn.Linear(3, 4), nn.Linear(4, 2)
        self.opt = OPT
        self.best, self.saved, self.calls, self.left = 1e9, None, 0, 2

    def describe(self):
        return [
            {n: (v.clone() if isinstance(v, torch.Tensor) else v) for n, v in entry.items()} for entry in self.opt.state.values()
        ], [g["lr"] for g in self.opt.param_groups], [len(g["params"]) for g in self.opt.param_groups]

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
OPTS = {
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
        if len(self.opt.param_groups) < 2 + (self.left < 2) and loss.item() < 3:
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


@pytest.mark.parametrize("opt", OPTS)
@pytest.mark.parametrize("body", BODIES)
def test_opt(tmp_path: Any, opt, body) -> None:
    src = PROGRAM.replace("OPT", OPTS[opt]).replace("BODY", BODIES[body])
    import sys

    outcome = compare(load(tmp_path, src), CALLS)
    print(
        "REPORT",
        opt,
        body,
        [r["mode"] for r in outcome.report["callables"]],
        outcome.graphs,
        [r.get("reason") for r in outcome.report["callables"]],
    )
