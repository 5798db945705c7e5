"""Graphs of further paths are made where paths come back, and not where every call takes a path of its own."""

from __future__ import annotations

import os
import subprocess
from typing import Any

import pytest
import torch
from harness import CountingBackend

import graphmend.runtime as runtime
from graphmend.runtime.driver import callback, variants

SITES = [f"m.py:{line}:0:GM105" for line in range(1, 9)]


def bits(x: torch.Tensor) -> Any:
    """A path for each number below 256, by its digits."""
    steps = []
    for place in range(8):
        if runtime.taken(SITES[place], (x.long() >> place) % 2 == 1):
            steps.append(place)
            x = x + 256
    return x, steps


def compiled() -> tuple[Any, CountingBackend]:
    runtime.registry.reset()
    runtime.registry.add_sites(8)
    backend = CountingBackend()
    return torch.compile(bits, backend=backend), backend


def check(function: Any, number: int) -> None:
    given = torch.tensor(float(number))
    assert function(given) == bits(given)


# The digits' comparisons make a graph of more than 8 and less than 100 nodes.
@pytest.mark.parametrize(
    "limits, trial",
    [
        ({"SMALL": 8}, variants.UNPROVED),
        ({"SMALL": 100}, variants.UNPROVED_SMALL),
        ({"LARGE": 8}, variants.UNPROVED_LARGE),
    ],
    ids=["middle", "small", "large"],
)
def test_paths_that_never_come_back_get_few_graphs(
    monkeypatch: pytest.MonkeyPatch, limits: dict[str, int], trial: int
) -> None:
    for name, nodes in limits.items():
        monkeypatch.setattr(variants, name, nodes)
    function, backend = compiled()
    for number in range(0, 255, 36):
        check(function, number)
    (record,) = runtime.report()["callables"]
    assert len(backend.graphs) == trial and record["replays"] == 8 - trial


def test_paths_that_come_back_get_graphs() -> None:
    function, backend = compiled()
    for number in (3, 65, 130, 200, 255):
        for _ in range(12):
            check(function, number)
    (record,) = runtime.report()["callables"]
    assert len(backend.graphs) == 5 and record["mode"] == "whole"
    assert record["replays"] == 0


def test_few_traces_are_thrown_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call has a shape and a path of its own: two traces for known paths tell that others are needed."""
    runtime.registry.reset()
    runtime.registry.add_sites(8)
    backend, left, attempt = CountingBackend(), [], callback.Callback.attempt

    def noted(self: callback.Callback, *arguments: Any) -> Any:
        result, error = attempt(self, *arguments)
        left.append("another path" in str(error))
        return result, error

    monkeypatch.setattr(callback.Callback, "attempt", noted)
    function = torch.compile(lambda x: bits(x.sum()), backend=backend, dynamic=False)
    for number in (1, 2, 3, 4, 5):
        given = torch.full((number,), 37.0)
        assert function(given) == bits(given.sum())
    assert len(backend.graphs) == 5 and sum(left) == 2


PROGRAM = """
import sys, torch

@torch.compile(backend="eager")
def f(x):
    steps = 0
    while x.sum() > 1:
        x = x * 0.5
        steps += 1
    return x, steps

for step in range(12):
    print(f(torch.full((2,), 2.0**step)))
"""


def run(tmp_path: Any, python: str) -> tuple[str, str]:
    command = [python, "-m", "graphmend", "run", str(tmp_path / "program.py")]
    environment = {**os.environ, "GRAPHMEND_CACHE_DIR": str(tmp_path / "cache"), "OMP_NUM_THREADS": "1"}
    environment.pop("GRAPHMEND_EVIDENCE", None)
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    return done.stdout, done.stderr


def test_a_later_process_knows_that_graphs_did_not_pay(tmp_path: Any, warm_python: str) -> None:
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    (first, _), (second, told) = run(tmp_path, warm_python), run(tmp_path, warm_python)
    assert first == second
    assert "holds too seldom, as an earlier run has shown" in told
