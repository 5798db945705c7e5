"""Attributes that a call sets in a class, seen through instances and through classes that inherit."""

from __future__ import annotations

import types

import pytest
import torch
from harness import CountingBackend

import graphmend.runtime as _gm


class Base(torch.nn.Module):
    calls = 0
    level = 1


class Child(Base):
    def forward(self, x):
        Base.calls += 1
        before = self.calls
        if x.sum() > 0:
            self.calls = 100
        return x * before, self.calls, Child.calls, Base.calls


class Hidden(Base):
    calls = 7

    def forward(self, x):
        Base.calls += 1
        return x * 2, self.calls, Hidden.calls, super().calls


class Fresh(Base):
    def forward(self, x):
        Base.added = x.shape[0]
        return x * self.added, hasattr(self, "added"), getattr(Fresh, "added", None)


class OfType(Base):
    level = 1

    def forward(self, x):
        type(self).level = self.level + 1
        return x * self.level, Base.level


class OfTensor(Base):
    def forward(self, x):
        type(self).level = x * 2
        return self.level + 1


class Bound(Base):
    def forward(self, x):
        Base.added = lambda self, y: y * 3
        return self.added(x)


def reset():
    Base.calls, Base.level, OfType.level = 0, 1, 1
    if "level" in vars(OfTensor):
        del OfTensor.level
    if "added" in vars(Base):
        del Base.added


def observed(kind, model):
    """What three calls give, and what they leave in the classes."""
    found = []
    for x in (-torch.ones(3), torch.ones(3), -torch.ones(3)):
        found.append(repr(model(x)))
        found.append([repr(vars(base).get(name)) for base in (kind, Base) for name in ("calls", "level")])
    return found


@pytest.mark.parametrize("kind", [Child, Hidden, Fresh, OfType, OfTensor, Bound], ids=lambda kind: kind.__name__)
def test_what_a_call_sets_in_a_class_is_seen_at_once(kind):
    reset()
    expected = observed(kind, kind())
    reset()
    torch.compiler.reset()
    counting = CountingBackend()
    assert observed(kind, torch.compile(kind(), backend=counting)) == expected
    reset()
    if kind is not Bound:
        assert counting.graphs


class Spaced(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.state = types.SimpleNamespace(step=0, best=float("inf"))

    def forward(self, x):
        self.state.step += 1
        self.state.last = x.mean().item()
        loss = x.square().mean()
        if loss.item() < self.state.best:
            self.state.best = loss.item()
        return loss / self.state.step


def test_namespaces_are_written_to():
    backend = CountingBackend()
    module, other = Spaced(), Spaced()
    run = torch.compile(other, backend=backend)
    for n in (3, 1, 2, 0.5, 0.1):
        x = torch.full((3,), float(n))
        assert torch.equal(module(x), run(x)) and module.state == other.state
    assert backend.graphs and _gm.registry.callables[-1].mode == "whole"
