"""The table of strategies: as documented, read without side effects, and in force for real programs."""

from __future__ import annotations

import copy
import random
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from harness import CountingBackend, load
from stated_texts import hold

import graphmend.runtime as _gm
from graphmend.runtime.base import trace_state
from graphmend.runtime.base.marker_ops import key_of
from graphmend.runtime.base.owned_state import OwnedState
from graphmend.runtime.capture import assumptions, dynamic_counters
from graphmend.runtime.driver import backend, retry_policy
from graphmend.runtime.driver.number_policy import NumberPolicy
from graphmend.runtime.driver.retry_policy import ENDS, TRANSITIONS, Attempt, Course, Strategy, next_strategy
from graphmend.runtime.effects import object_writes
from graphmend.runtime.external import numpy_random_functions
from graphmend.runtime.shims import is_compiling, lazy_attributes, string_formatting

ARCHITECTURE = Path(__file__).parents[3] / "docs" / "architecture.md"
SITES = ("m.py:1:0:GM101", "m.py:2:0:GM304", "m.py:3:0:GM301")
FLAGS: tuple[tuple[OwnedState[Any], str], ...] = (
    (numpy_random_functions.FEATURE, "inside"),
    (numpy_random_functions.FEATURE, "may_help"),
    (assumptions.FEATURE, "moving"),
    (assumptions.FEATURE, "crowded"),
    (assumptions.FEATURE, "matter"),
    (string_formatting.FEATURE, "met"),
    (dynamic_counters.FEATURE, "met"),
    (lazy_attributes.FEATURE, "ended"),
    (backend.GRAPH, "elsewhere"),
)


def test_the_documentation_has_the_table() -> None:
    rows = re.findall(r"^\| `([A-Z_]+)` \| .* \| (ends: )?", ARCHITECTURE.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == [(row.strategy.name, "ends: " if row.strategy in ENDS else "") for row in TRANSITIONS]


def test_every_strategy_has_one_row_and_the_last_row_always_holds() -> None:
    assert [row.strategy for row in TRANSITIONS] == list(Strategy)
    course = Course(True, {}, frozenset(), NumberPolicy(False))
    assert next_strategy(course, Attempt(course.trace(), ValueError())) is Strategy.GIVE_UP


def failed_attempt(choice: random.Random) -> Attempt:
    """A failed attempt by chance."""
    trace = trace_state.Trace(True, frozenset())
    for owner, name in FLAGS:
        setattr(owner.of(trace), name, choice.random() < 0.3)
    trace.refusals.update({site: "refused" for site in SITES if choice.random() < 0.1})
    trace.blamed.update({site: "blamed" for site in SITES if choice.random() < 0.1})
    trace.touched.update({site: None for site in SITES if choice.random() < 0.5})
    error = choice.choice((None, ValueError("x"), AssertionError("x"), RuntimeError("Unsupported context manager")))
    return Attempt(trace, error or (None if trace.refusals else ValueError("x")), choice.random() < 0.1)


def settings(course: Any) -> dict[str, Any]:
    return copy.deepcopy({name: value for name, value in vars(course).items() if name != "raised"})


def test_conditions_only_read() -> None:
    """Each condition, also those below the row that is taken, leaves course, trace and registry as they were."""
    met = set()
    for seed in range(1000):
        choice = random.Random(seed)
        whole, policy = choice.random() < 0.7, NumberPolicy(choice.random() < 0.3)
        course = Course(whole, {}, frozenset(), policy, hosts=choice.random() < 0.3)
        for _ in range(8):
            failed = failed_attempt(choice)
            before = settings(course), copy.copy(failed.trace.refusals), _gm.report()["sites"]
            for row in TRANSITIONS:
                row.condition(course, failed)
            assert (settings(course), failed.trace.refusals, _gm.report()["sites"]) == before
            strategy = next_strategy(course, failed)
            met.add(strategy)
            course.take(strategy, failed)
            if strategy in ENDS:
                break
    assert len(met) > 12, met


def told(course: Course) -> str:
    """The settings of the next attempt that are not those of a first one."""
    plain = {**settings(course), **settings(course.numbers)}
    left = ("numbers", "taken", "profiled", "whole", "off", "missed", "eager")
    words = [f"{name}={value}" for name, value in plain.items() if name not in left and value not in (False, {}, None)]
    sites = [f"{name}:{','.join(site[-5:] for site in getattr(course, name))}" for name in ("off", "missed")]
    return " ".join([*words, *sites, "raised" if course.raised is not None else ""]).strip()


def features(course: Course) -> str:
    """What the features of the next trace are told."""
    trace = course.trace()
    owners = (object_writes.FEATURE, lazy_attributes.FEATURE, is_compiling.FEATURE, string_formatting.FEATURE)
    told = [owner.of(trace) for owner in (*owners, numpy_random_functions.FEATURE, dynamic_counters.FEATURE)]
    parts = {f"{type(one).__name__}.{name}": value for one in told for name, value in vars(one).items()}
    words = [name for name, value in parts.items() if value is True or isinstance(value, frozenset) and value]
    return " ".join(["whole" if trace.whole else "part", *words, f"graph {backend.GRAPH.of(trace).may_split}"])


def test_stated_strategies() -> None:
    """Which strategy each failed attempt leads to, and the settings behind it: a text to be read as a diff."""
    lines = []
    _gm.registry.reset()
    for seed in range(150):
        choice = random.Random(seed)
        policy = NumberPolicy(choice.random() < 0.3)
        course = Course(choice.random() < 0.7, {}, frozenset(), policy, hosts=choice.random() < 0.3)
        course.counters = frozenset(["n"] if choice.random() < 0.3 else [])
        course.early, course.roomy = choice.random() < 0.3, choice.random() < 0.3
        for _ in range(8):
            failed = failed_attempt(choice)
            strategy = next_strategy(course, failed)
            course.take(strategy, failed)
            lines.append(f"{seed} {strategy.name}: {told(course)}\n    {features(course)}")
            if strategy in ENDS:
                break
        lines += [f"  {site[-5:]} {fate['refused']}" for site, fate in sorted(_gm.report()["sites"].items())]
        _gm.registry.reset()
    hold(Path(__file__).parent / "stated" / "strategies.txt", "\n".join(lines) + "\n")


@pytest.mark.parametrize("is_crowded", [False, True])
@pytest.mark.parametrize("strategy", [Strategy.LEAVE_SITES, Strategy.WITHOUT_RECORDS, Strategy.GIVE_UP])
def test_too_many_numbers_are_constants_of_the_next_attempt(strategy: Strategy, is_crowded: bool) -> None:
    """Where the trace ended inside of a branch, the numbers in front of it may be why."""
    course = Course(True, {}, frozenset(), NumberPolicy(False))
    trace = course.trace()
    trace.open.append((key_of(SITES[0], 0), "then"))
    assumptions.FEATURE.of(trace).crowded = is_crowded
    course.take(strategy, Attempt(trace, ValueError("x")))
    assert course.numbers.fixed is is_crowded


PROGRAMS = {
    "a branch whose sides cannot be traced": (
        """
        import torch
        def f(x):
            if x.sum() > 0:
                y = x + 1
            else:
                y = torch.zeros(int(x.abs().sum()) + 2)
            return y
        """,
        Strategy.LEAVE_SITES,
    ),
    "a function that needs the number itself": (
        """
        import math
        def f(x):
            return x * math.gcd(int(x.sum().item()), 4)
        """,
        Strategy.CONSTANT_NUMBERS,
    ),
    "a context that cannot be traced": (
        """
        import decimal
        def f(x):
            with decimal.localcontext():
                return x + 1
        """,
        Strategy.GIVE_UP,
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_take_the_strategy(name: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    text, expected = PROGRAMS[name]
    taken: list[Strategy] = []

    def noting(course: Course, failed: Attempt) -> Strategy:
        taken.append(next_strategy(course, failed))
        return taken[-1]

    monkeypatch.setattr("graphmend.runtime.driver.callback.next_strategy", noting)
    program = load(tmp_path, text)()
    compiled = torch.compile(program, backend=CountingBackend())
    for value in (1.0, 2.0):
        assert torch.equal(compiled(torch.full((2,), value)), program(torch.full((2,), value)))
    assert expected in taken, taken
    assert len(taken) < 16 and retry_policy.TRANSITIONS is TRANSITIONS
