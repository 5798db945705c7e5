"""Callables that each go wrong in one way, and `right`, which does not."""

import logging
import sys
import warnings

import planted
import torch

planted.plant("value", planted.other_value)
planted.plant("swallowed", planted.swallowed_exception)
planted.plant("gradient", planted.other_gradient)
planted.plant("detached", planted.no_gradient)
planted.plant("mutation", planted.other_input)
planted.plant("draw", planted.other_draw)
planted.plant("identity", planted.copied_result)
calls = {"number": 0}


def value(x):
    return x + 1


def swallowed(x):
    if x.sum() > 0:
        raise ValueError("too large")
    return x


def gradient(x):
    return x * x


def detached(x):
    return x * x


def mutation(x):
    return x + 1


def draw(x):
    return x + 1


def identity(x):
    return x


def count(x):
    return x + len(calls)


def right(x):
    if x.sum() > 0:
        x = x * 2
    return torch.nn.functional.dropout(x, 0.5)


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(1))

    def forward(self, x):
        self.seen += 1
        return x + 1


counters = [Counter(), Counter()]


class Secret:
    def __reduce__(self):
        raise ValueError("not to be copied")

    def __repr__(self):
        raise ValueError("not to be shown")

    def __str__(self):
        raise ValueError("not to be told")

    __getattr__ = None


def keeps(x, secret):
    return x + 1, secret, {secret: 1}


def compiled(function):
    return torch.compile(function, backend="aot_eager")


for _ in range(2):
    for function in (value, mutation, draw, identity, right):
        compiled(function)(torch.ones(4))
    for function in (gradient, detached):
        leaf = torch.ones(4, requires_grad=True)
        result = compiled(function)(leaf)
        if result.requires_grad:
            result.sum().backward()
    try:
        compiled(swallowed)(torch.ones(4))
    except ValueError:
        pass
    compiled(count)(torch.ones(4))
    compiled(keeps)(torch.ones(4), Secret())
    for counter in counters:
        compiled(counter)(torch.ones(4))
    if planted.is_mended():
        logging.getLogger("mine").warning("one record too many")
        warnings.warn("one warning too many", stacklevel=1)
        print("one line too many", file=sys.stderr)
        calls["number"] += 1
        counters[1].seen += 1
    calls["number"] += 1
if planted.is_mended():
    sys.exit(3)
