"""Effects around next to no work, each beside the graph without it and beside what can be written by hand.

bench/events.py loads this file twice, as it stands and mended. The effects themselves take as little time as they can:
what is measured is how they get out of the graph.
"""

from __future__ import annotations

import collections
import logging
import os
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

Function = Callable[..., Any]

LOGGER = logging.getLogger("graphmend.bench")  # its level is WARNING
STREAM = open(os.devnull, "w")  # noqa: SIM115
LOSSES: collections.deque[float] = collections.deque(maxlen=8)
calls = 0


class Effect(NamedTuple):
    """A function with an effect, the graph without it, and the function with the effect carried out behind the graph.

    `by_hand` gets the compiled `without` and gives the function; `as_op` is the same with an operator that the compiler
    keeps in its place, where the effect is one of a tensor.
    """

    title: str
    events: int
    written: Function
    without: Function
    by_hand: Callable[[Function], Function]
    as_op: Function


def bare(x: torch.Tensor) -> torch.Tensor:
    return x * 2.0


def bare_and_sum(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    y = x * 2.0
    return y, y.sum()


# A counter.


def counted(x: torch.Tensor) -> torch.Tensor:
    global calls
    calls += 1
    return x * 2.0


def counted_by_hand(compiled: Function) -> Function:
    def function(x: torch.Tensor) -> torch.Tensor:
        global calls
        y = compiled(x)
        calls += 1
        return y

    return function


# A message of a level that is switched off.


def logged(x: torch.Tensor) -> torch.Tensor:
    y = x * 2.0
    LOGGER.debug("shape %s", y.shape)
    return y


def logged_by_hand(compiled: Function) -> Function:
    def function(x: torch.Tensor) -> torch.Tensor:
        y = compiled(x)
        LOGGER.debug("shape %s", y.shape)
        return y

    return function


# A line of text.


def printed(x: torch.Tensor) -> torch.Tensor:
    y = x * 2.0
    print("shape", y.shape, file=STREAM)
    return y


def printed_by_hand(compiled: Function) -> Function:
    def function(x: torch.Tensor) -> torch.Tensor:
        y = compiled(x)
        print("shape", y.shape, file=STREAM)
        return y

    return function


# A number that is kept. By hand, its tensor leaves the graph.


def kept(x: torch.Tensor) -> torch.Tensor:
    y = x * 2.0
    loss = y.sum()
    LOSSES.append(loss.item())
    return y


def kept_by_hand(compiled: Function) -> Function:
    def function(x: torch.Tensor) -> torch.Tensor:
        y, loss = compiled(x)
        LOSSES.append(loss.item())
        return y

    return function


# Eight messages.


def logged_often(x: torch.Tensor) -> torch.Tensor:
    y = x * 2.0
    LOGGER.debug("1: %s", y.shape)
    LOGGER.debug("2: %s", y.shape)
    LOGGER.debug("3: %s", y.shape)
    LOGGER.debug("4: %s", y.shape)
    LOGGER.debug("5: %s", y.shape)
    LOGGER.debug("6: %s", y.shape)
    LOGGER.debug("7: %s", y.shape)
    LOGGER.debug("8: %s", y.shape)
    return y


def logged_often_by_hand(compiled: Function) -> Function:
    def function(x: torch.Tensor) -> torch.Tensor:
        y = compiled(x)
        for i in range(8):
            LOGGER.debug("%d: %s", i, y.shape)
        return y

    return function


# The same with operators that have an effect in the eyes of the compiler.


def with_op(op: Function, times: int = 1) -> Function:
    def function(x: torch.Tensor) -> torch.Tensor:
        y = x * 2.0
        for _ in range(times):
            op(y)
        return y

    return function


def with_op_of_sum(op: Function) -> Function:
    def function(x: torch.Tensor) -> torch.Tensor:
        y = x * 2.0
        op(y.sum())
        return y

    return function


def count(_: torch.Tensor) -> None:
    global calls
    calls += 1


def log(y: torch.Tensor) -> None:
    LOGGER.debug("shape %s", y.shape)


def write(y: torch.Tensor) -> None:
    print("shape", y.shape, file=STREAM)


def keep(loss: torch.Tensor) -> None:
    LOSSES.append(loss.item())


def effects(op: Callable[[Function], Function]) -> list[Effect]:
    """All of them; `op` makes an operator of a function of one tensor."""
    noting = op(log)
    return [
        Effect("counter", 1, counted, bare, counted_by_hand, with_op(op(count))),
        Effect("disabled log", 1, logged, bare, logged_by_hand, with_op(noting)),
        Effect("print to /dev/null", 1, printed, bare, printed_by_hand, with_op(op(write))),
        Effect("kept loss", 1, kept, bare_and_sum, kept_by_hand, with_op_of_sum(op(keep))),
        Effect("8 disabled logs", 8, logged_often, bare, logged_often_by_hand, with_op(noting, 8)),
    ]
