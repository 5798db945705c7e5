"""A hundred calls whose effects show other values each time: nothing is compiled after the second call."""

from __future__ import annotations

import gc
import random
from typing import Any

import pytest
import torch
from harness import CountingBackend, captured, load, seed
from torch._dynamo.utils import counters

import graphmend.runtime as _gm

CALLS = 100

PROGRAMS = {
    "arguments": """
    import logging
    logger = logging.getLogger("changing")
    def f(x, step, rate, name, options):
        print("step", step, "of", name, f"{rate:.3f}", options["text"])
        logger.warning("%s %d %d", name, step, len(options["items"]))
        return x * 2
    """,
    "attributes": """
    import torch
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.steps, self.total, self.losses, self.counts = 0, 0.0, [], {"all": 0}
        def forward(self, x, step, rate, name, options):
            self.steps += 1
            self.counts["all"] += 1
            loss = x.mean()
            self.losses.append(loss.item())
            self.total += 0.5
            print(name, rate)
            return loss
        def shown(self):
            return self.steps, self.total, self.counts, len(self.losses)
    make = Model
    """,
    "tensors": """
    import warnings
    def f(x, step, rate, name, options):
        x = x * 2
        if x.sum() > 0:
            print("positive", x.sum().item(), step)
            x = x + 1
        if not (x == x).all():
            raise ValueError(name)
        warnings.warn(f"{name}: {x.max():.2f}")
        return x
    """,
}


def arguments(step: int) -> tuple:
    """Those of one call."""
    x = torch.full((3,), float(step % 7) - 3.0)
    return x, step, step / 7, f"name {step}", {"text": "a" * step, "items": [step]}


@pytest.mark.parametrize("kind", PROGRAMS)
def test_no_recompilation(tmp_path: Any, kind: str) -> None:
    make = load(tmp_path, PROGRAMS[kind])
    eager, target, backend = make(), make(), CountingBackend()
    compiled = torch.compile(target, backend=backend)
    gc.collect()  # finalizers of what other tests have left run as frames, too
    counters.clear()
    made = []
    for step in range(CALLS):
        with captured() as expected:
            right = eager(*arguments(step))
        with captured() as events:
            assert torch.allclose(compiled(*arguments(step)), right)
        assert events == expected
        made.append((len(backend.graphs), counters["frames"]["total"]))
    assert made[1] == made[-1] and made[-1][0] <= 2, made
    assert [record["mode"] for record in _gm.report()["callables"]][-1] == "whole"
    if hasattr(target, "shown"):
        assert target.shown() == eager.shown()


def test_it_would_be_seen(tmp_path: Any) -> None:
    """A value that the graph depends on has a graph of its own."""
    program = PROGRAMS["arguments"].replace("return x * 2", "return x * len(name)")
    make, backend = load(tmp_path, program), CountingBackend()
    compiled = torch.compile(make(), backend=backend)
    made = []
    with captured():
        for step in (1, 11, 111, 1111):
            compiled(*arguments(step))
            made.append(len(backend.graphs))
    assert made[1] < made[-1]


def test_random_numbers(tmp_path: Any) -> None:
    """So with numbers that are drawn for what is shown, in the order of eager Python."""
    program = """
    import random
    import torch
    def f(x):
        y = x * random.uniform(0.5, 1.5)
        print("scaled", y.shape, random.random())
        return y + torch.rand(3)
    """
    make, backend = load(tmp_path, program), CountingBackend()
    found = []
    for function in (make(), torch.compile(make(), backend=backend)):
        seed()
        with captured() as events:
            results = [function(torch.ones(3)).tolist() for _ in range(20)]
        found.append((torch.tensor(results), events, random.getstate()))
    assert torch.allclose(found[0][0], found[1][0]) and found[0][1:] == found[1][1:]
