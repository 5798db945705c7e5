"""Functions behind `functools.lru_cache` whose effects happen when they have no answer yet."""

from __future__ import annotations

import sys
from typing import Any

import pytest
import torch
from harness import Outcome, compare, load

from graphmend.runtime.base import trace_state

HEAD = """
import functools
import logging
import math
import warnings
import torch

log = logging.getLogger("caches")

{decorator}
def slopes(heads, base=2.0):
    print("computing slopes", heads, base)
    return tuple(base ** -(i + 1) for i in range(heads))
"""
SHAPES = (8, 8, 4, 8, 4, 2)


def run(tmp_path: Any, text: str, decorator: str = "@functools.lru_cache(maxsize=None)", **options: Any) -> Outcome:
    calls = [lambda size=size: (torch.rand(2, size),) for size in SHAPES]
    outcome = compare(load(tmp_path, HEAD.format(decorator=decorator) + text), calls, **options)
    assert trace_state.local.waiting == [None] and trace_state.local.pending is None and not trace_state.replays
    return outcome


WHOLE = {
    "first": """
def f(x):
    return x * torch.tensor(slopes(x.size(1)))
""",
    "behind other work, in a module": """
class make(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(2, 1))
        self.infos = []
    def forward(self, x):
        y = (x * self.scale).relu()
        table = torch.tensor(slopes(heads=y.size(1), base=4.0))
        return y * table, y.sum()
""",
    "a class of warnings by default": """
@functools.lru_cache(None)
def warn_once(message, category=FutureWarning):
    warnings.warn(message, category, stacklevel=2)
def f(x):
    warn_once("old")
    warn_once("odd", UserWarning)
    return x * 2
""",
    "an effect behind it": """
def f(x):
    y = x * torch.tensor(slopes(x.size(1)))
    print("done", y.shape)
    log.warning("mean %.3f", y.mean().item())
    return y
""",
    "two calls": """
def f(x):
    return x * torch.tensor(slopes(x.size(1))) + sum(slopes(3)) + slopes(3)[0]
""",
    "other effects": """
SCALE = 3
def factor(n):
    return math.sqrt(n) * SCALE
@functools.lru_cache(maxsize=16)
def logged(n):
    log.warning("computing %d", n)
    return factor(n)
@functools.cache
def warned(n):
    warnings.warn("slow path", stacklevel=1)
    return {i: i * i for i in range(n)}[n - 1]
def f(x):
    return x * logged(x.size(1)) + warned(x.size(1)) + logged(1)
""",
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole(tmp_path: Any, name: str) -> None:
    if "functools.cache" in WHOLE[name] and sys.version_info < (3, 9):
        pytest.skip("no functools.cache")
    outcome = run(tmp_path, WHOLE[name])
    assert [record["mode"] for record in outcome.report["callables"]] == ["whole"], outcome.report
    assert outcome.mended("GM501") and outcome.graphs <= len(set(SHAPES)), outcome.report


LEFT = {
    "no cache at all": ("", "@functools.lru_cache(maxsize=0)"),
    "too small a cache": ("two", "@functools.lru_cache(maxsize=1)"),
}
TWO = """
def f(x):
    return x * torch.tensor(slopes(x.size(1))) + sum(slopes(x.size(1) + 1))
"""


@pytest.mark.parametrize("name", LEFT)
def test_small_caches(tmp_path: Any, name: str) -> None:
    kind, decorator = LEFT[name]
    outcome = run(tmp_path, TWO if kind else WHOLE["first"], decorator)
    assert not outcome.mended("GM501") and "does not hold" in outcome.refusals("GM501")[0]


def test_a_cache_for_one(tmp_path: Any) -> None:
    outcome = run(tmp_path, WHOLE["first"], "@functools.lru_cache(maxsize=1)")
    assert outcome.mended("GM501")


def test_typed(tmp_path: Any) -> None:
    text = """
def f(x):
    n = x.size(1)
    return x * slopes(n, 2)[0] + slopes(n, 2.0)[0] + slopes(n, base=2)[0], tuple(slopes.cache_parameters().items())
"""
    for typed in (True, False):
        outcome = run(tmp_path, text.replace(", tuple(slopes.cache_parameters().items())", ""), CACHE.format(typed))
        assert outcome.mended("GM501")


CACHE = "@functools.lru_cache(maxsize=8, typed={})"

REFUSED = {
    "work comes before it": (
        """
def f(x):
    print("before")
    return x * torch.tensor(slopes(x.size(1)))
""",
        "comes before it",
    ),
    "an operator before it may fail": (
        """
TABLE = torch.rand(4, 1)
def f(x):
    y = torch.nn.functional.embedding(x[:, 0].long(), TABLE)
    return x * torch.tensor(slopes(x.size(1))) + y
""",
        "may fail",
    ),
    "data decide": (
        """
def f(x):
    if x.sum() > 4:
        x = x * 2
        print("large")
    return x * torch.tensor(slopes(x.size(1)))
""",
        "comes before it",
    ),
    "data decide later": (
        """
class make(torch.nn.Module):
    def forward(self, x):
        y = x * torch.tensor(slopes(x.size(1)))
        assert y.sum() > -1, "small"
        return y
""",
        "run again",
    ),
    "an argument is what data say": (
        """
def f(x):
    return x * sum(slopes(int(x.sum())))
""",
        "depend on data",
    ),
    "a tensor is an argument": (
        """
@functools.lru_cache(maxsize=None)
def total(t):
    print("adding up")
    return t.sum().item()
KEY = torch.ones(3)
def f(x):
    return x * total(KEY)
""",
        "constants",
    ),
    "it gives a list": (
        """
@functools.lru_cache(maxsize=None)
def listed(n):
    print("listing")
    return [n]
def f(x):
    found = listed(x.size(1))
    found.append(1)
    return x * sum(found)
""",
        "object of type list",
    ),
    "it counts": (
        """
made = 0
@functools.lru_cache(maxsize=None)
def counted(n):
    global made
    made += 1
    print("made", made)
    return n * made
def f(x):
    return x * counted(x.size(1)) + made
""",
        "outlives",
    ),
    "it reads a list": (
        """
FACTORS = [1, 2, 3]
@functools.lru_cache(maxsize=None)
def read(n):
    print("reading", len(FACTORS))
    return n * sum(FACTORS)
class make(torch.nn.Module):
    def forward(self, x):
        FACTORS.append(0)
        return x * read(x.size(1))
""",
        "`FACTORS`",
    ),
    "it has two effects": (
        """
@functools.lru_cache(maxsize=None)
def loud(n):
    for i in range(n):
        print("loud", i)
    return n
def f(x):
    return x * loud(x.size(1))
""",
        "several effects",
    ),
    "it raises": (
        """
@functools.lru_cache(maxsize=None)
def picky(n):
    print("looking at", n)
    if n == 4:
        raise ValueError(f"not {n}")
    return n
def f(x):
    return x * picky(x.size(1))
""",
        None,
    ),
    "it draws": (
        """
import random
@functools.lru_cache(maxsize=None)
def drawn(n):
    print("drawing", n)
    return random.random()
def f(x):
    return x * drawn(x.size(1))
""",
        "`random`",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(tmp_path: Any, name: str) -> None:
    text, reason = REFUSED[name]
    outcome = run(tmp_path, text)
    if reason is not None:
        assert any(reason in found for found in outcome.refusals("GM501")), outcome.report


def test_one_side_needs_it(tmp_path: Any) -> None:
    """What a path of the program does not ask is not asked in front of its graph."""
    text = """
def f(x):
    if x.sum() > 4:
        return x * torch.tensor(slopes(x.size(1)))
    return x - 1
"""
    outcome = run(tmp_path, text)
    assert not outcome.mended("GM501")


def compile_inside(program: Any, **options: Any) -> Any:
    """Compile the part of a program that is to be one graph."""
    program.run = torch.compile(program.run, **options)
    return program


COUNTED = """
class make:
    def __init__(self):
        self.calls = 0
        self.run = f
    def __call__(self, x):
        self.calls += 1
        if self.calls % CLEARED == 0:
            slopes.cache_clear()
        return self.run(x), tuple(slopes.cache_info()), slopes(8) is slopes(8)
def f(x):
    return x * torch.tensor(slopes(x.size(1)))
"""


@pytest.mark.parametrize("often", [3, 100])
@pytest.mark.parametrize("room", ["None", "1", "2"])
def test_what_the_cache_counts(tmp_path: Any, often: int, room: str) -> None:
    text = COUNTED.replace("CLEARED", str(often))
    outcome = run(tmp_path, text, f"@functools.lru_cache(maxsize={room})", compile=compile_inside)
    assert outcome.mended("GM501") and [record["mode"] for record in outcome.report["callables"]] == ["whole"]


def test_another_answer(tmp_path: Any) -> None:
    """A global that the function reads changes, and the cache is emptied: the graph was made for the former answer."""
    text = """
BASE = 1
@functools.lru_cache(maxsize=None)
def based(n):
    print("computing", n)
    return n + BASE
class make(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
    def forward(self, x):
        return x * based(x.size(1))
    def __call__(self, x):
        global BASE
        self.calls += 1
        if self.calls == 5:
            BASE = 7
        if self.calls == 9:
            based.cache_clear()
        return super().__call__(x)
"""
    run(tmp_path, text)


RAISING = """
class Stream:
    calls = 0
    def write(self, text):
        Stream.calls += 1
        if Stream.calls % 3 == 1:
            raise OSError(f"full {Stream.calls}")
    def flush(self):
        pass
STREAM = Stream()
class Handler(logging.Handler):
    def emit(self, record):
        Stream.calls += 1
        if Stream.calls % 3 == 1:
            raise OSError(f"full {Stream.calls} {record.lineno} {record.funcName}")
handled = logging.getLogger("caches.handled")
handled.handlers[:] = [Handler()]
@functools.lru_cache(maxsize=None)
def raising(n):
    handled.warning("computing %d", n)
    return n
def f(x):
    try:
        return x * raising(x.size(1)), Stream.calls
    except OSError as error:
        return x - 1, str(error), Stream.calls
"""


def test_an_effect_that_raises(tmp_path: Any) -> None:
    run(tmp_path, RAISING)
    run(tmp_path, RAISING.replace(", Stream.calls", ""))


def test_sizes_stay_open_where_nothing_is_printed(tmp_path: Any) -> None:
    text = """
@functools.lru_cache(maxsize=None)
def checked(n):
    if n > 100:
        print("long", n)
    return n * 2
def f(x):
    return x * checked(x.size(1))
"""
    calls = [lambda size=size: (torch.rand(2, size),) for size in (3, 4, 5, 6, 7, 8, 9, 10, 101, 102, 101)]
    outcome = compare(load(tmp_path, HEAD.format(decorator="@functools.cache") + text), calls)
    assert outcome.mended("GM501") and outcome.graphs <= 5, outcome.report


def test_left_alone_where_there_is_no_effect(tmp_path: Any) -> None:
    text = """
@functools.lru_cache(maxsize=None)
def quiet(n):
    return tuple(range(n))
def f(x):
    return x * torch.tensor(quiet(x.size(1)))
"""
    outcome = run(tmp_path, text)
    assert not outcome.report["sites"] and outcome.graphs <= len(set(SHAPES))
