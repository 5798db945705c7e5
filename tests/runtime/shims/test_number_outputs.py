"""Programs under a mode: a default device, as scripts for a GPU set it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from harness import compare, load

CALLS = [lambda: (torch.tensor([1.0, 2.0]),), lambda: (torch.tensor([-1.0, -5.0]),)]
PROGRAMS = {
    "a number returned": """
        def f(x):
            return x * 2, {"mean": x.mean().item()}
        """,
    "a tensor made behind a branch": """
        import torch
        def f(x):
            if x.sum() > 0:
                x = x * 2
            return x + torch.zeros(2)
        """,
    "a tensor made behind a message": """
        import torch
        def f(x):
            print("mean", x.mean().item())
            return x + torch.arange(2)
        """,
    "a tensor made behind a guard": """
        import torch
        def f(x):
            if x.min() < -2:
                raise ValueError(f"{x.min()}")
            return x + torch.ones(2)
        """,
}


@pytest.fixture(autouse=True)
def default_device() -> Iterator[None]:
    torch.set_default_device("cpu")
    yield
    torch.set_default_device(None)


@pytest.mark.parametrize("name", PROGRAMS)
def test_one_graph(name: str, tmp_path) -> None:
    outcome = compare(load(tmp_path, PROGRAMS[name]), CALLS, rounds=4, backend="aot_eager")
    assert outcome.graphs == 1, outcome.report
