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
    if planted.is_mended():
        logging.getLogger("mine").warning("one record too many")
        warnings.warn("one warning too many", stacklevel=1)
        print("one line too many", file=sys.stderr)
        calls["number"] += 1
    calls["number"] += 1
if planted.is_mended():
    sys.exit(3)
