"""Numbers of the data as float arguments of operators: they stay open, and the run of the graph hands them over."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

WHOLE = {
    "losses": """
        d = torch.quantile(x.detach().abs(), 0.8).item()
        return F.huber_loss(x, y, delta=d) + F.smooth_l1_loss(x, y, beta=d), F.layer_norm(x, (4,), eps=d)
        """,
    "probabilities": """
        p = min(0.9, abs(x.mean().item()))
        return F.dropout(x, p, True), torch.zeros_like(x).bernoulli_(p), torch.quantile(x, p)
        """,
    "draws": """
        d = x.detach().abs().sum().item()
        return x + torch.empty_like(x).uniform_(-d, d) + torch.normal(0.0, d, size=(4,))
        """,
    "one side": """
        d = x.max().item()
        if d > 0:
            return F.huber_loss(x, y, delta=d)
        return x.sum()
        """,
    "an argument that the operator refuses": """
        d = x.max().item()
        self.seen.append(d)
        print("limit", d)
        try:
            return F.huber_loss(x, y, delta=d)
        except (ValueError, RuntimeError) as error:
            print(type(error).__name__)
            return x.sum()
        """,
    "an argument that the operator refuses for the caller": """
        self.seen.append(x.max().item())
        return F.dropout(x, x.max().item(), True)
        """,
}
EQUAL = {
    "sizes": """
        y = F.interpolate(x[None], scale_factor=x.abs().mean().item() + 1)
        return y, y.shape[-1]
        """,
    "ranges": """
        s = x.abs().mean().item()
        return torch.arange(0.0, s, 0.5), torch.histc(x, 4, 0.0, s + 1), torch.cdist(x, x, p=s)
        """,
}
PROGRAM = """
    import torch
    import torch.nn.functional as F

    class Program:
        def __init__(self):
            self.seen = []

        def __call__(self, x, y):
            {body}

        def shown(self):
            return self.seen

    make = Program
    """
ROWS = ([0.5, -1.0, 0.25, 0.75], [-0.5, -1.0, -0.25, -0.75], [2.0, 1.0, 3.0, 4.0], [0.0, -1.0, -2.0, -3.0])
CALLS = [lambda row=row: (torch.tensor([row]), torch.tensor([row[::-1]])) for row in ROWS]


def program(tmp_path: Any, body: str) -> Any:
    lines = [line[8:] for line in body.splitlines()]
    return load(tmp_path, PROGRAM.replace("{body}", "\n            ".join(lines).strip()))


@pytest.mark.parametrize("name", [*WHOLE, *EQUAL])
@pytest.mark.parametrize("grad", [False, True], ids=["values", "gradients"])
def test_the_operator_gets_the_number(tmp_path: Any, name: str, grad: bool) -> None:
    compare(program(tmp_path, {**WHOLE, **EQUAL}[name]), CALLS, grad=grad, rounds=8)


@pytest.mark.parametrize("name", WHOLE)
def test_the_call_is_one_graph(tmp_path: Any, name: str) -> None:
    outcome = compare(program(tmp_path, WHOLE[name]), CALLS, grad=False, rounds=8)
    assert outcome.report["callables"][0]["mode"] == "whole"


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compilers_compute_the_same(tmp_path: Any, backend: str) -> None:
    compare(program(tmp_path, WHOLE["losses"]), CALLS, grad=False, rounds=3, backend=backend)
