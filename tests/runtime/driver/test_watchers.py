"""Python functions given to `sys.setprofile` and `sys.settrace`: their frames are none of the call's."""

from __future__ import annotations

import sys
from typing import Any

import pytest
import torch
from harness import CountingBackend, load

import graphmend.runtime as runtime

TEXT = """
    import torch

    def f(x):
        y = x + 1
        if y.sum() > 0:
            y = y * 2
        print("mean", y.mean().item())
        return y

    def make():
        return f
"""


class Watcher:
    """What is given to Python, in several forms."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def method(self, frame: Any, event: str, arg: Any) -> Any:
        self.seen.append(frame.f_code.co_name)

    def __call__(self, frame: Any, event: str, arg: Any) -> Any:
        self.method(frame, event, arg)


def forms(watcher: Watcher) -> dict[str, Any]:
    return {
        "function": lambda frame, event, arg: watcher.method(frame, event, arg),
        "method": watcher.method,
        "object": watcher,
    }


@pytest.mark.parametrize("place", ["setprofile", "settrace"])
@pytest.mark.parametrize("form", ["function", "method", "object"])
def test_whole(tmp_path, capsys, place, form):
    function = load(tmp_path, TEXT)()
    runtime.registry.reset()
    backend = CountingBackend()
    compiled = torch.compile(function, backend=backend)
    watcher = Watcher()
    before = getattr(sys, place.replace("set", "get"))()
    getattr(sys, place)(forms(watcher)[form])
    try:
        results = [compiled(sign * torch.ones(3)).tolist() for sign in (1, -1, 2)]
    finally:
        getattr(sys, place)(before)
    assert results == [[4.0] * 3, [0.0] * 3, [6.0] * 3]
    assert capsys.readouterr().out == "mean 4.0\nmean 0.0\nmean 6.0\n"
    (record,) = runtime.report()["callables"]
    assert (record["mode"], record["reason"], len(backend.graphs)) == ("whole", None, 1)
    assert watcher.seen
