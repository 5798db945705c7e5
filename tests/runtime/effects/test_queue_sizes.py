"""Queues that a call fills, and asks how full they are."""

from __future__ import annotations

import gc
import threading
from typing import Any

import pytest
import torch
from harness import CountingBackend, Outcome, compare, load

from graphmend.runtime.base import trace_state
from graphmend.runtime.driver import outcomes

HEAD = """
import queue
import torch
Q = queue.Queue()
"""
WHOLE = {
    "returned": """
class make(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.queue = queue.Queue()
        self.linear = torch.nn.Linear(3, 3)
    def forward(self, x):
        y = self.linear(x)
        self.queue.put(y.mean().item())
        return y, self.queue.qsize()
""",
    "before and behind": """
def f(x):
    before = Q.qsize()
    Q.put(x.sum().item())
    between = Q.qsize()
    Q.put_nowait(2)
    return {"y": x * 2, "sizes": [before, between, Q.qsize()], "more": (x + 1, (Q.empty(), Q.full()))}
""",
    "in a helper, twice": """
def size():
    return Q.qsize()
def f(x):
    print("before", tuple(x.shape))
    Q.put(x.shape[0])
    n = size()
    print("behind", n)
    return n, x * 2, n
""",
    "only asked": """
class make:
    def __init__(self):
        self.calls = 0
    def __call__(self, x):
        return x * 2, LAST.full(), LAST.qsize()
LAST = queue.LifoQueue(maxsize=3)
LAST.put(1)
""",
    "alone": """
def f(x):
    Q.put((x * 2).sum().item())
    return Q.qsize()
""",
    "computed with and returned": """
def f(x):
    Q.put(x.sum().item())
    return x * 2, Q.qsize() + 1
""",
}
CALLS = [lambda: (torch.rand(3),), lambda: (torch.rand(3),)]


def run(tmp_path: Any, text: str) -> Outcome:
    outcome = compare(load(tmp_path, HEAD + text), CALLS)
    assert trace_state.local.waiting == [None] and trace_state.local.pending is None
    return outcome


@pytest.mark.parametrize("name", WHOLE)
def test_whole(tmp_path: Any, name: str) -> None:
    text = WHOLE[name] + ("\ndef unused(x):\n    print(x)\n" if name == "only asked" else "")
    outcome = run(tmp_path, text)
    assert [record["mode"] for record in outcome.report["callables"]] == ["whole"], outcome.report
    assert outcome.graphs == 1 and outcome.mended("GM501"), outcome.report


LEFT = {
    "the program decides": """
def f(x):
    Q.put(x.sum().item())
    if Q.qsize() > 3:
        return x * 3
    return x * 2
""",
    "it computes": """
def f(x):
    Q.put(x.sum().item())
    return x * Q.qsize()
""",
    "it keeps it": """
class make(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.size = 0
    def forward(self, x):
        Q.put(x.sum().item())
        self.size = Q.qsize()
        return x * 2, self.size
""",
    "it keeps what it returns": """
class make(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.found = None
    def forward(self, x):
        Q.put(x.sum().item())
        found = [Q.qsize()]
        self.found = found
        return x * 2, found
""",
    "one container twice": """
def f(x):
    Q.put(x.sum().item())
    found = [Q.qsize()]
    return x * 2, found, found
""",
    "an object of its own": """
class Result:
    def __init__(self, y, size):
        self.y = y
        self.size = size
    def __repr__(self):
        return f"{self.y.tolist()} {self.size}"
def f(x):
    Q.put(x.sum().item())
    return repr(Result(x * 2, Q.qsize()))
""",
    "it takes something out": """
def f(x):
    Q.put(x.sum().item())
    Q.put(1)
    return x * Q.get(), Q.qsize()
""",
    "it looks inside": """
def f(x):
    Q.put(x.shape[0])
    return x * 2, Q.qsize(), len(Q.queue)
""",
    "a queue of its own": """
def f(x):
    mine = queue.Queue()
    mine.put(1)
    return x * 2, mine.qsize()
""",
    "a queue of another kind": """
class Twice(queue.Queue):
    def _qsize(self):
        return 2 * len(self.queue)
TWICE = Twice()
def f(x):
    TWICE.put(1)
    return x * 2, TWICE.qsize()
""",
    "it asks of what type it is": """
def f(x):
    Q.put(x.sum().item())
    n = Q.qsize()
    return x * 2, n, isinstance(n, int), str(n)
""",
}


@pytest.mark.parametrize("name", LEFT)
def test_left(tmp_path: Any, name: str) -> None:
    outcome = run(tmp_path, LEFT[name])
    assert not outcome.mended("GM501")


def test_what_is_only_asked_is_noted(tmp_path: Any) -> None:
    """Code around a graph may raise once it has handed the question over: it has to be known for what it is."""
    text = """
class Part:
    pass
class make(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.part, self.calls = Part(), 0
    def forward(self, x):
        self.part.calls = self.calls
        return x * 2, Q.qsize()
def unused(x):
    print(x)
"""
    model = load(tmp_path, HEAD + text)()
    compiled = torch.compile(model, backend=CountingBackend())
    gc.collect()  # the table holds its code weakly
    before = len(outcomes.postponing)
    compiled(torch.ones(2))
    assert len(outcomes.postponing) == before + 1
    assert trace_state.local.waiting == [None] and trace_state.local.pending is None


def test_a_full_queue(tmp_path: Any) -> None:
    """What cannot be put raises where it stands."""
    text = """
SMALL = queue.Queue(maxsize=2)
class make(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
    def forward(self, x):
        self.calls += 1
        print("call", self.calls)
        try:
            SMALL.put_nowait(x.sum().item())
            print("put")
        except queue.Full:
            print("full")
            x = x + SMALL.get_nowait()
        return x * 2, SMALL.qsize()
"""
    run(tmp_path, text)
    run(tmp_path, text.replace("except queue.Full:", "except ValueError:"))


def test_another_thread_reads(tmp_path: Any) -> None:
    """A consumer gets everything in order, also where the queue is bounded and the call has to wait for it."""
    text = """
SMALL = queue.Queue(maxsize=1)
def f(x):
    for i in range(3):
        SMALL.put((i, x.sum().item()))
    return x * 2, SMALL.full()
def make():
    return SMALL, f
"""
    channel, function = load(tmp_path, HEAD + text)()
    backend = CountingBackend()
    compiled = torch.compile(function, backend=backend)
    found: list[Any] = []
    reader = threading.Thread(target=lambda: [found.append(channel.get(timeout=60)) for _ in range(15)])
    reader.start()
    for i in range(5):
        y, full = compiled(torch.full((2,), float(i)))
        assert y.tolist() == [2.0 * i] * 2 and type(full) is bool
    reader.join()
    assert found == [(k, 2.0 * i) for i in range(5) for k in range(3)] and len(backend.graphs) == 1


def test_calls_in_several_threads(tmp_path: Any) -> None:
    text = """
def f(x):
    Q.put(x.sum().item())
    return x * 2, Q.qsize()
def make():
    return Q, f
"""
    channel, function = load(tmp_path, HEAD + text)()
    compiled = torch.compile(function, backend=CountingBackend())
    compiled(torch.zeros(2))
    sizes: list[int] = []
    threads = [
        threading.Thread(target=lambda: sizes.extend(compiled(torch.ones(2))[1] for _ in range(20))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert channel.qsize() == 81 and len(sizes) == 80 and all(type(size) is int and 2 <= size <= 81 for size in sizes)
