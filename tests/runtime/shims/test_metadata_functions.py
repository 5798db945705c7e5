"""Functions of torch that ask for the metadata of tensors, alone and inside `load_state_dict`."""

from __future__ import annotations

from typing import Any

import torch
from harness import compare, load

ASKED = """
import torch

def f(x):
    kinds = torch.result_type(x, 3.5), torch.result_type(x.int(), x), torch.can_cast(x.dtype, torch.int)
    return x.to(kinds[1]) + 1, kinds, torch.nn.parameter.is_lazy(x), torch.typename(x), torch.typename(3)

make = lambda: f
"""

RESTORED = """
import copy
import torch
from torch import nn

class Stopper(nn.Module):
    def __init__(self, strict):
        super().__init__()
        torch.manual_seed(0)
        self.net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
        self.best, self.saved, self.strict = None, None, strict

    def forward(self, x):
        value = self.net(x).pow(2).mean()
        with torch.no_grad():
            for parameter in self.net.parameters():
                parameter.mul_(0.9)
        score = value.item()
        if self.best is None or score < self.best:
            self.best, self.saved = score, copy.deepcopy(self.net.state_dict())
        elif score > 2 * self.best:
            if not self.strict:
                self.saved.pop("2.bias", None)
            print("restored", score, self.net.load_state_dict(self.saved, strict=self.strict))
        return value.detach()

make = lambda: Stopper(True)
make_lax = lambda: Stopper(False)
"""

CALLS = [lambda n=n: (torch.full((2, 3), n) * torch.arange(2.0)[:, None],) for n in (1.0, 0.1, 30.0, 0.05, 50.0)]


def test_metadata(tmp_path: Any) -> None:
    outcome = compare(
        load(tmp_path, ASKED), [lambda: (torch.rand(3),), lambda: (torch.ones(2, dtype=torch.int),)], grad=False
    )
    assert [record["mode"] for record in outcome.report["callables"]] == ["whole"], outcome.report


def test_weights_restored_where_data_decide(tmp_path: Any) -> None:
    compare(load(tmp_path, RESTORED), CALLS)


def test_some_weights_restored(tmp_path: Any) -> None:
    compare(load(tmp_path, RESTORED.replace("make =", "other =").replace("make_lax", "make")), CALLS)
