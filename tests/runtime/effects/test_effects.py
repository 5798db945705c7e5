"""Deferred effects: order, snapshots, and what happens when the call fails."""

from __future__ import annotations

import functools
import logging
import warnings

import pytest
import torch
from harness import compare

import graphmend.runtime as _gm
from graphmend.runtime.base.trace_state import local

log = logging.getLogger("program")
SITE = "m.py:1:0:GM301"


def say(site, *values):
    """A print as the compiler core writes it."""
    if _gm.on(site):

        def _gm_sink__say(*values):
            print(*values)

        _gm.defer(site, _gm_sink__say, values)
    else:
        print(*values)


CALLS = [lambda: (torch.tensor([1.0, 2.0]),), lambda: (torch.tensor([-1.0, 5.0]),)]


def order(x):
    say(SITE, "first", x)
    y = x * 2
    if _gm.on("m.py:2:0:GM302"):

        def _gm_sink__order(a):
            log.warning("mean %.2f", float(a.mean()))

        _gm.defer("m.py:2:0:GM302", _gm_sink__order, (y,))
    else:
        log.warning("mean %.2f", float(y.mean()))
    if _gm.on("m.py:3:0:GM303"):

        def _gm_sink__warn(a):
            warnings.warn(f"shape {tuple(a)}", stacklevel=2)

        _gm.defer("m.py:3:0:GM303", _gm_sink__warn, (y.shape,))
    else:
        warnings.warn(f"shape {tuple(y.shape)}", stacklevel=2)
    for index in range(3):
        say(SITE, "step", index)
    return y + 1


def values_change_later(x):
    items = [1, x * 1]
    table = {"a": x.sum()}
    y = x.detach() * 2
    say(SITE, items, table, y)
    items.append(2)
    table["b"] = 3
    y.mul_(10)
    y += 1
    say(SITE, items, table, y)
    return x + y


def input_changes_later(x):
    y = x.detach()
    say(SITE, y)
    y.add_(1)
    return x * 2


class Counter(torch.nn.Module):
    """Prints a number that changes from call to call."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(2, 2)
        self.name = "counter"

    def forward(self, x, step, label="x"):
        say(SITE, self.name, step, label)
        return self.linear(x)


def test_order_of_all_kinds() -> None:
    outcome = compare(lambda: order, CALLS)
    assert outcome.graphs == 1, outcome.report


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_values_are_kept_as_they_were(backend: str) -> None:
    outcome = compare(lambda: values_change_later, CALLS, False, backend)
    assert outcome.graphs == 1, outcome.report


def test_input_is_kept_as_it_was() -> None:
    outcome = compare(lambda: input_changes_later, CALLS, False)
    assert outcome.graphs == 1, outcome.report


def test_changing_numbers_do_not_recompile() -> None:
    calls = [lambda step=step: (torch.ones(2), step) for step in range(20)]
    outcome = compare(Counter, calls)
    assert outcome.graphs == 1, outcome.report


def test_events_before_an_exception() -> None:
    def program(x, index):
        say(SITE, "before", x)
        y = x[index]
        say(SITE, "after", y)
        return y

    calls = [lambda: (torch.ones(3), torch.tensor([1])), lambda: (torch.ones(3), torch.tensor([7]))]
    outcome = compare(lambda: program, calls)
    assert outcome.mended("GM301") and outcome.graphs == 1, outcome.report


def test_an_effect_between_breaks_stays_where_it_is() -> None:
    def program(x):
        say(SITE, "before", x)
        torch._dynamo.graph_break()
        say(SITE, "after", x)
        return x * 2

    outcome = compare(lambda: program, CALLS)
    assert not outcome.mended("GM301")
    assert outcome.report["callables"][0]["mode"] == "partial"


def test_an_effect_inside_a_checkpoint_stays_as_written() -> None:
    def inner(x):
        say(SITE, "inner", 1)
        return x.sin()

    def program(x):
        return torch.utils.checkpoint.checkpoint(inner, x, use_reentrant=False)

    outcome = compare(lambda: program, CALLS)
    assert not outcome.mended("GM301")


def test_a_failing_sink_raises_from_the_call() -> None:
    def program(x):
        if _gm.on(SITE):

            def _gm_sink__program(a):
                raise KeyError(float(a.sum()))

            _gm.defer(SITE, _gm_sink__program, (x,))
        else:
            raise KeyError(float(x.sum()))
        return x

    outcome = compare(lambda: program, CALLS, False)
    assert outcome.graphs == 1
    assert not local.queue and local.waiting == [None]


@pytest.mark.parametrize("wrapped", [functools.lru_cache(maxsize=None), functools.cache], ids=["lru_cache", "cache"])
def test_effect_behind_a_cache(wrapped) -> None:
    def make():
        @wrapped
        def slopes(count):
            say(SITE, "computing", count)
            return count * 2

        return lambda x: x * slopes(x.shape[0])

    outcome = compare(make, [lambda: (torch.ones(2),)])
    assert not outcome.mended("GM301") and "cache" in outcome.refusals("GM301")[0]


def test_result_is_no_input() -> None:
    """Without the print in between, the compiler takes `0 + x` for `x`."""

    def program(x):
        y = (x * 2).zero_()
        say(SITE, y.detach())
        return y + x

    for grad in (False, True):
        assert compare(lambda: program, [lambda: (torch.ones(2, 3),)], grad, "inductor").mended("GM301")
