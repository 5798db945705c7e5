"""Timers around tensor work: what they show is read behind the graph, in the order of what is shown."""

from __future__ import annotations

import time
from typing import Any

import pytest
import torch
from harness import captured, compare, load

import graphmend.runtime as _gm

HEAD = """
    import logging
    import time
    import torch
    logger = logging.getLogger("timers")
    """

WHOLE = {
    "printed": """
    def f(x):
        t0 = time.time()
        y = x * 2
        elapsed = time.time() - t0
        print(f"took {elapsed // 10**6:.1f} s", elapsed >= 0)
        return y + 1
    """,
    "logged": """
    def f(x):
        start = time.perf_counter_ns()
        y = (x * 2).relu()
        end = time.perf_counter_ns()
        logger.warning("%d", round((end - start) * 1e-15), extra={"took": end - start})
        return y
    """,
    "kept": """
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.times, self.total = [], 0.0
        def forward(self, x):
            t0 = time.monotonic()
            y = x * 2
            dt = time.monotonic() - t0
            self.times.append(dt)
            self.total += dt
            print({"dt": [dt // 10**9, -abs(dt) < 1]})
            return y
        def shown(self):
            return len(self.times), [type(t).__name__ for t in self.times], abs(self.total - sum(self.times)) < 1e-6
    make = Model
    """,
    "stored": """
    class Model(torch.nn.Module):
        def forward(self, x):
            t0 = time.time()
            y = x * 2
            self.milliseconds = (time.time() - t0) * 1000
            return y
        def shown(self):
            return self.milliseconds >= 0, type(self.milliseconds).__name__
    make = Model
    """,
    "context manager": """
    class Timer:
        def __init__(self, name):
            self.name = name
        def __enter__(self):
            self.start = time.perf_counter()
            return self
        def __exit__(self, *error):
            self.elapsed = time.perf_counter() - self.start
            print(self.name, round(self.elapsed / 10**6, 1))
    def f(x):
        with Timer("work"):
            y = x * 2
        return y
    """,
    "returned": """
    def f(x):
        t0 = time.perf_counter()
        y = x * 2
        dt = time.perf_counter() - t0
        return y, {"seconds": -(abs(dt) // 10**6), "hours": [round(dt / 3600 % 10**6)]}, dt * 0
    """,
    "in a helper": """
    def timed(function, x):
        t0 = time.time()
        y = function(x)
        return y, time.time() - t0
    def f(x):
        y, dt = timed(torch.sin, x)
        print("sin", dt >= 0)
        return y
    """,
}

BROKEN = {
    "returned": """
    def f(x):
        t0 = time.time()
        y = x * 2
        return y, time.time() - t0 >= 0
    """,
    "returned, with a text": """
    def f(x):
        t0 = time.time()
        y = x * 2
        try:
            found = time.time() - t0 + "s"
        except TypeError:
            found = "no number"
        return y, found
    """,
    "returned, divided by": """
    def f(x):
        t0 = time.time()
        y = x * 2
        return y, 1 // (10 + time.time() - t0)
    """,
    "computed with": """
    def f(x):
        t0 = time.time()
        y = x * 2
        return y * (1 + (time.time() - t0) * 0)
    """,
    "decided on": """
    def f(x):
        t0 = time.time()
        y = x * 2
        dt = time.time() - t0
        if dt > 10**6:
            y = y + 1
        print("done")
        return y
    """,
    "stored": """
    class Model(torch.nn.Module):
        def forward(self, x):
            t0 = time.time()
            y = x * 2
            self.dt = time.time() - t0
            self.dt = self.dt * 1000
            return y
        def shown(self):
            return self.dt >= 0, type(self.dt).__name__
    make = Model
    """,
    "formatted early": """
    def f(x):
        t0 = time.time()
        y = x * 2
        text = f"{(time.time() - t0) // 10**6}"
        print(text)
        return y, len(text)
    """,
    "two spans": """
    def f(x):
        t0 = time.time()
        y = x * 2
        t1 = time.time()
        y = y + 1
        t2 = time.time()
        print(t0 <= t1 <= t2)
        return y
    """,
}

CALLS = [lambda value=value: (torch.full((3,), value),) for value in (1.0, -2.0, 3.0)]


@pytest.mark.parametrize("kind", WHOLE)
def test_whole(tmp_path: Any, kind: str) -> None:
    outcome = compare(load(tmp_path, HEAD + WHOLE[kind]), CALLS)
    assert [record["mode"] for record in outcome.report["callables"]] == ["whole"], outcome.report
    assert outcome.graphs == 1 and outcome.mended("GM501")


@pytest.mark.parametrize("kind", BROKEN)
def test_as_it_is(tmp_path: Any, kind: str) -> None:
    """What needs the number in the middle of the call, or hands it on, is left alone."""
    compare(load(tmp_path, HEAD + BROKEN[kind]), CALLS)


def test_the_work_is_in_between(tmp_path: Any) -> None:
    """The clock is read in front of the graph and behind it, before what is shown."""
    text = """
    def f(x):
        t0 = time.monotonic()
        y = x * 2
        dt = time.monotonic() - t0
        print("long" if dt >= 0.05 else "short")
        return y
    """

    def backend(module: Any, inputs: Any) -> Any:
        def run(*args: Any) -> Any:
            time.sleep(0.05)
            return module.forward(*args)

        return run

    compiled = torch.compile(load(tmp_path, HEAD + text)(), backend=backend)
    with captured() as events:
        for _ in range(3):
            compiled(torch.ones(3))
    assert events == ["out long", "out \n"] * 3
    assert _gm.report()["callables"][-1]["mode"] == "whole"


@pytest.mark.parametrize("kind", ["printed", "kept"])
def test_inductor(tmp_path: Any, kind: str) -> None:
    outcome = compare(load(tmp_path, HEAD + WHOLE[kind]), CALLS, False, "inductor")
    assert [record["mode"] for record in outcome.report["callables"]] == ["whole"], outcome.report


NUMBERS = (0.1, 1e-40, 3.4e38, float("inf"), float("nan"), -0.0, 1 / 3)


@pytest.mark.parametrize("kind", [torch.float32, torch.float64])
def test_numbers_that_inductor_hands_out(tmp_path: Any, kind: Any) -> None:
    text = """
    def f(x):
        v = x.max().item()
        y = x * 2
        print(v.hex())
        return y
    """
    calls = [lambda value=value: (torch.full((3,), value, dtype=kind),) for value in NUMBERS]
    outcome = compare(load(tmp_path, HEAD + text), calls, False, "inductor")
    assert [record["mode"] for record in outcome.report["callables"]] == ["whole"], outcome.report
