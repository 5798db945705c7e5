"""Exceptions and hooks from outside of a call: signal handlers, hooks on saved tensors, checkpoints."""

from __future__ import annotations

import functools
import signal
import threading
from pathlib import Path
from typing import Any

import pytest
import torch
from harness import load
from torch.utils.checkpoint import checkpoint

PROGRAM = """
import torch

weight = torch.nn.Parameter(torch.tensor([1.0, -2.0, 3.0]))
seen = []

def decision(x):
    h = x * weight
    if h.sum() > 0:
        h = torch.tanh(h @ torch.ones(3, 3))
    return h.sin()

def effect(x):
    h = (x * weight).tanh()
    print("h", h.shape, float(h.sum()) > 0)
    return h.sin()

def guard(x):
    h = (x * weight).tanh()
    if torch.isnan(h).any():
        raise ValueError("nan")
    return h.sin()

def record(x):
    h = (x * weight).tanh()
    seen.append(h.sum().item())
    return h.sin()

def selection(x):
    h = x * weight
    if h.sum() > 0:
        h = h.exp()
    else:
        h = h * 2
    return h.sin()

def make():
    return globals()
"""


def gradients(function: Any, names: dict[str, Any]) -> list[Any]:
    """The results and gradients of six checkpointed calls whose data take both paths."""
    found: list[Any] = []
    for number in range(6):
        x = (torch.ones(3) * (1 if number % 3 else -1)).requires_grad_()
        result = checkpoint(function, x, use_reentrant=False)
        result.sum().backward()
        found.append((result.tolist(), x.grad.tolist(), names["weight"].grad.tolist()))
        names["weight"].grad = None
    return found


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("name", ["decision", "effect", "guard", "record", "selection"])
def test_a_callable_may_be_checkpointed(tmp_path: Path, capsys: Any, name: str, backend: str) -> None:
    names: dict[str, Any] = {}
    exec(PROGRAM, names)
    torch._dynamo.reset()
    mended = load(tmp_path, PROGRAM)()
    expected = gradients(names[name], names)
    shown = capsys.readouterr().out
    assert gradients(torch.compile(mended[name], backend=backend), mended) == expected
    assert capsys.readouterr().out == shown


class Late(Exception):
    """Raised by the handlers and hooks."""


class Raiser:
    """A base of signal handlers that are objects."""

    def __call__(self, *_: Any) -> None:
        raise Late


class Handler(Raiser):
    """A signal handler that is an object."""


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals go to the main thread")
@pytest.mark.parametrize("kind", ["function", "object", "method", "partial"])
@pytest.mark.parametrize("name", ["decision", "effect", "guard", "record", "selection"])
def test_exceptions_of_signal_handlers_reach_the_caller(tmp_path: Path, name: str, kind: str) -> None:
    """The signal comes once, while the graph of the third call runs."""
    calls = []

    def handler(*_: Any) -> None:
        raise Late

    def backend(module: Any, inputs: Any) -> Any:
        def run(*values: Any) -> Any:
            calls.append(len(calls))
            if len(calls) == 3:
                signal.raise_signal(signal.SIGINT)
            return module.forward(*values)

        return run

    torch._dynamo.reset()
    function = torch.compile(load(tmp_path, PROGRAM)()[name], backend=backend)
    handlers = {
        "function": handler,
        "object": Handler(),
        "method": Handler().__call__,
        "partial": functools.partial(handler, 1),
    }
    before = signal.signal(signal.SIGINT, handlers[kind])
    try:
        for _ in range(2):
            function(torch.ones(3))
        with pytest.raises(Late):
            function(torch.ones(3))
        assert len(calls) == 3
        function(torch.ones(3))
    finally:
        signal.signal(signal.SIGINT, before)


def test_exceptions_of_hooks_reach_the_caller(tmp_path: Path) -> None:
    seen = []

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        seen.append(tensor)
        if len(seen) == 1:
            raise Late
        return tensor

    torch._dynamo.reset()
    function = torch.compile(load(tmp_path, PROGRAM)()["guard"], backend="eager")
    function(torch.ones(3))
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor), pytest.raises(Late):
        function(torch.ones(3))
