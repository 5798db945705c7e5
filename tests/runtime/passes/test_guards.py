"""Guards: the exception of the eager program, and the state that it leaves behind."""

from __future__ import annotations

import random
from typing import Any

import pytest
import torch
from harness import CountingBackend, compare

import graphmend.runtime as _gm

SITE = "m.py:1:0:GM401"


def reject(test, site=SITE):
    """`if test: raise`, as the compiler core writes it."""
    if _gm.on(site) and _gm.check(site, test):
        pass
    else:
        if test:
            raise ValueError("rejected") from KeyError("cause")


GOOD, BAD = [lambda: (torch.tensor([1.0, 2.0]),)], [lambda: (torch.tensor([1.0, -2.0]),)]


def several(x):
    reject(x.min() < -100)
    print("never deferred") if False else None
    y = x * 2
    reject((y < 0).any(), "m.py:2:0:GM402")
    return y + 1


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
@pytest.mark.parametrize("grad", [True, False], ids=["grad", "nograd"])
def test_exception_with_its_cause(backend: str, grad: bool) -> None:
    outcome = compare(lambda: several, GOOD + BAD + GOOD, grad, backend)
    assert outcome.graphs == 1, outcome.report
    assert outcome.report["callables"][0]["replays"] > 0


class Stateful(torch.nn.Module):
    """Changes buffers, draws numbers and may be rejected afterwards."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(3)
        self.register_buffer("seen", torch.zeros(3))
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        self.seen.add_(x.detach().sum(0))
        y = self.norm(x)
        y = torch.nn.functional.dropout(y, 0.5, training=True)
        reject(x.detach().min() < 0)
        self.seen.mul_(0.5)
        return y * torch.rand(3)


BATCHES = [lambda: (torch.ones(4, 3) * torch.arange(4.0)[:, None],), lambda: (-torch.ones(4, 3),)]


@pytest.mark.parametrize("grad", [True, False], ids=["grad", "nograd"])
def test_buffers_and_generators_are_restored(grad: bool) -> None:
    outcome = compare(Stateful, BATCHES, grad)
    assert outcome.mended("GM401"), outcome.report


def test_inputs_are_restored() -> None:
    def program(x):
        y = x.detach()
        y.mul_(2)
        reject(y.sum() < 0)
        y.add_(1)
        return y * 3

    outcome = compare(lambda: program, GOOD + [lambda: (torch.tensor([-1.0, -2.0]),)], False)
    assert outcome.graphs == 1, outcome.report


def test_python_random_is_left_alone() -> None:
    def program(x):
        scale = random.random()
        reject(x.sum() < 0)
        return x * scale

    compare(lambda: program, GOOD + BAD, False)


def test_python_test_runs_the_statement() -> None:
    def program(x):
        reject(x.dim() == 2)
        return x * 2

    outcome = compare(lambda: program, GOOD + [lambda: (torch.ones(2, 2),)], False)
    assert outcome.graphs >= 1


def test_guard_with_several_elements_fails_as_written() -> None:
    def program(x):
        reject(x < 0)
        return x * 2

    outcome = compare(lambda: program, GOOD, False)
    assert not outcome.mended("GM401")


def test_messages_are_formatted_by_the_eager_program() -> None:
    def program(x):
        if _gm.on(SITE) and _gm.check(SITE, x.max() > 1):
            pass
        else:
            if x.max() > 1:
                raise RuntimeError(f"maximum {x.max().item():.3f} at {int(x.argmax())}")
        return x * 2

    outcome = compare(lambda: program, GOOD + [lambda: (torch.zeros(2),)])
    assert outcome.graphs == 1, outcome.report


def numbered(x, n):
    y = x * 2
    if n > 3:
        raise ValueError(f"n is {n}")
    return y + n


def refused(x, n):
    k = x.sum().item()
    if n > 3:
        raise ValueError("too many")
    return x * k


@pytest.mark.parametrize("program", [numbered, refused])
def test_calls_that_raise_whatever_the_tensors_hold(program: Any) -> None:
    calls = [lambda n=n: (torch.ones(2), n) for n in (1, 2, 5, 3, 5, 0)]
    outcome = compare(lambda: program, calls)
    assert outcome.report["callables"][0]["mode"] == "whole" and outcome.graphs <= 3


def test_calls_of_which_some_break() -> None:
    """Those that do not are one graph all the same."""

    def program(x, noisy):
        if noisy:
            torch._dynamo.graph_break()
        return x * 2

    calls = [lambda noisy=noisy: (torch.ones(2), noisy) for noisy in (False, False, False, True, False, False)]
    outcome = compare(lambda: program, calls)
    assert outcome.report["callables"][0]["mode"] == "whole" and outcome.graphs <= 3


def text_of_error(p: torch.Tensor) -> torch.Tensor:
    assert p.dim() == 2, p.shape
    return p * 2


def test_an_assertion_that_shows_an_object() -> None:
    """A call in which it fails is the program's own business: the others stay one graph."""
    backend = CountingBackend()
    run = torch.compile(text_of_error, backend=backend)
    for _ in range(3):
        assert run(torch.ones(2, 2)).sum() == 8
        with pytest.raises(AssertionError, match="torch.Size"):
            run(torch.ones(2))
    assert len(backend.graphs) == 1
    assert _gm.registry.callables[-1].mode == "whole"
