"""Locks that a call takes: the wrapper holds them while the graph and the deferred effects run."""

from __future__ import annotations

import threading
from typing import Any

import pytest
import torch
from harness import compare, load

from graphmend.runtime.base import trace_state

START = """
    import contextlib
    import threading
    import torch

    LOCK = threading.{kind}()
    OTHER = threading.{kind}()

    class Cache:
        def __init__(self):
            self.lock = threading.{kind}()
            self.hits = 0

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(3, 3)
            self.lock = threading.{kind}()
            self.register_buffer("seen", torch.zeros(()))
            self.cache = Cache()
            self.calls = 0

        def shown(self):
            free = [lock.acquire(blocking=False) for lock in (self.lock, self.cache.lock, LOCK, OTHER)]
            for lock in (self.lock, self.cache.lock, LOCK, OTHER):
                lock.release()
            return repr((free, self.cache.hits, self.calls))

        def forward(self, x):
            {body}

    make = Model
    """
CALLS = [lambda: (torch.tensor([1.0, 2.0, 3.0]),), lambda: (torch.tensor([-1.0, -2.0, 0.5]),)]

WHOLE = {
    "a block": "with self.lock: return self.linear(x)",
    "effects inside and outside": """
            print("before", x.shape)
            with self.lock:
                y = self.linear(x)
                print("norm", round(y.norm().item(), 2))
            print("after")
            return y""",
    "two locks, one within the other, and a counter": """
            with self.cache.lock, LOCK:
                self.cache.hits += 1
                self.calls += 1
            return self.linear(x) + 1""",
    "two locks, one behind the other": """
            with LOCK:
                y = self.linear(x)
            with OTHER:
                return y * 2""",
    "a lock taken twice in a row": """
            for _ in range(2):
                with LOCK:
                    x = self.linear(x)
            return x""",
    "a buffer": """
            with LOCK:
                self.seen += 1
                return self.linear(x) * self.seen""",
    "paths": """
            with LOCK:
                y = self.linear(x)
                if x.sum() > 0:
                    y = y * 2
                return y""",
    "acquire and release": """
            LOCK.acquire()
            try:
                y = self.linear(x)
            finally:
                LOCK.release()
            return y.sum()""",
    "random numbers before it": """
            import random
            scale = random.random()
            with LOCK:
                return self.linear(x) * scale""",
    "a guard that fires": """
            with LOCK:
                print("checked")
                if x.min() < -1.5:
                    raise ValueError(f"too small: {x.min()}")
                return self.linear(x)""",
    "one lock on each path": """
            if x.sum() > 0:
                with LOCK:
                    return self.linear(x)
            with OTHER:
                return self.linear(x) * 2""",
}


@pytest.mark.parametrize("kind", ["Lock", "RLock"])
@pytest.mark.parametrize("name", WHOLE)
def test_a_call_with_a_lock_is_one_graph(tmp_path: Any, name: str, kind: str) -> None:
    outcome = compare(load(tmp_path, START.format(kind=kind, body=WHOLE[name])), CALLS)
    assert outcome.report["callables"][0]["mode"] == "whole", outcome.report["callables"][0]["reason"]
    assert not trace_state.local.held and trace_state.local.holder is None


def test_a_reentrant_lock_is_taken_twice(tmp_path: Any) -> None:
    body = "with LOCK:\n                with LOCK: return self.linear(x)"
    outcome = compare(load(tmp_path, START.format(kind="RLock", body=body)), CALLS)
    assert outcome.report["callables"][0]["mode"] == "whole"


@pytest.mark.parametrize(
    "body",
    [
        "with LOCK: self.calls += LOCK.locked()\n            return self.linear(x)",
        "self.calls += LOCK.acquire(blocking=False)\n            LOCK.release()\n            return self.linear(x)",
        "self.calls += LOCK.acquire(timeout=5)\n            LOCK.release()\n            return self.linear(x)",
    ],
    ids=["asked", "not waited for", "with a time"],
)
def test_what_tells_of_other_threads_stays_in_eager_python(tmp_path: Any, body: str) -> None:
    compare(load(tmp_path, START.format(kind="Lock", body=body)), CALLS)


def test_a_path_without_the_lock_may_be_called_by_its_holder(tmp_path: Any) -> None:
    text = (
        START.format(kind="Lock", body="with LOCK: return self.linear(x)")
        + """
    def make():
        model = Model()

        def run(x, held):
            if held:
                return inner(x, False)
            return inner(x, True)

        def forward(x, takes):
            if takes:
                with LOCK:
                    return x + 1
            return x + 2

        compiled = torch.compile(forward, backend="eager")

        def inner(x, takes):
            with contextlib.nullcontext() if takes else LOCK:
                return compiled(x, takes)

        return run
    """
    )
    run = load(tmp_path, text)()
    x = torch.ones(3)
    for held in (False, True, False, True):
        assert torch.equal(run(x, held), x + (2 if held else 1))


def test_threads_do_not_lose_an_update(tmp_path: Any) -> None:
    body = """
            with LOCK:
                self.cache.hits += 1
                self.seen += 1
                if self.cache.hits % 2:
                    return x + 1
                return x - 1"""
    model = load(tmp_path, START.format(kind="Lock", body=body))()
    compiled = torch.compile(model, backend="eager")

    def work() -> None:
        for _ in range(40):
            compiled(torch.ones(3))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (model.cache.hits, model.seen.item()) == (160, 160)
    assert model.shown() == repr(([True] * 4, 160, 0))


def test_a_call_waits_for_another_thread(tmp_path: Any) -> None:
    model = load(tmp_path, START.format(kind="Lock", body="with self.lock: return self.linear(x)"))()
    compiled = torch.compile(model, backend="eager")
    x = torch.ones(3)
    expected = compiled(x)
    found: list[torch.Tensor] = []
    model.lock.acquire()
    thread = threading.Thread(target=lambda: found.append(compiled(x)))
    thread.start()
    thread.join(0.2)
    assert thread.is_alive() and not found
    model.lock.release()
    thread.join()
    assert torch.equal(found[0], expected)


def test_receivers_that_take_the_lock(tmp_path: Any) -> None:
    text = (
        START.format(
            kind="Lock", body="print('before')\n            with LOCK: y = self.linear(x)\n            return y"
        )
        + """
    import sys

    class Stream:
        def __init__(self):
            self.rows = []

        def write(self, text):
            with LOCK:
                self.rows.append(text)

    def make():
        model = Model()
        stream = Stream()
        def run(x):
            with contextlib.redirect_stdout(stream):
                return compiled(x)

        compiled = torch.compile(model, backend="eager")
        run.shown = lambda: repr(stream.rows)
        return run
    """
    )
    run = load(tmp_path, text)()
    for _ in range(3):
        run(torch.ones(3))
    assert run.shown() == repr(["before", "\n"] * 3)
