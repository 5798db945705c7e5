"""Exceptions that a call raises, handles and shows."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

START = """
import logging, math, torch, warnings
log = logging.getLogger("raised")

class Mine(ValueError):
    pass

class Shown(ValueError):
    def __str__(self):
        return "shown"

def check(x):
    if x.dim() == 1:
        raise ValueError(f"expected 2 dimensions, got {x.dim()}", x.shape)
"""

WHOLE = {
    "printed": """
def f(x):
    try:
        check(x)
    except Exception as error:
        print("caught", error, [error], f"{error!r} {type(error).__name__}", error.args)
    return x + 1
""",
    "logged": """
def f(x):
    for i in range(3):
        try:
            if i != 1:
                raise Mine("bad", i)
        except (Mine, KeyError) as error:
            log.error("failed: %s (%r)", error, error)
    return x + 1
""",
    "kept": """
def f(x):
    found = []
    try:
        raise AssertionError("not a matrix")
    except AssertionError as error:
        found.append(error)
    print("found", found, {"error": found[0]})
    return x + 1, len(found)
""",
    "of a tensor": """
def f(x):
    try:
        raise ValueError(x, [1, 2])
    except ValueError as error:
        print(error)
        error.args[1].append(3)
        print(error)
    return x + 1
""",
    "with a text of its own": """
def f(x):
    try:
        raise Shown("bad")
    except ValueError as error:
        print("caught", error, f"{error}")
    return x + 1
""",
    "a warning": """
def f(x):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            warnings.warn(f"{x.shape[0]} rows", DeprecationWarning, 2)
        except DeprecationWarning as warning:
            print("caught", warning)
            x = x * 2
        try:
            warnings.warn(Mine("no"), Warning) if x.dim() > 3 else warnings.warn(UserWarning("yes"))
        except UserWarning as warning:
            return x + 1, str(warning)
    return x
""",
}

CAUGHT = """
class Failed(Exception):
    pass

class Numbered(Failed):
    def __init__(self, text, number):
        super().__init__(text)
        self.number = number

class Unset(Exception):
    def __init__(self, text, number):
        self.number = number

def fail(x, table={"a": 1}, items=[1, 2]):
    STATEMENT

def f(x):
    try:
        fail(x)
    except Exception as error:
        print("caught", error, f"{error!r}", [error], error.args)
        log.error("failed: %s", error)
        return x + 1, str(error), f"{error}"
    return x - 1
"""

FAILURES = [
    'raise Failed(f"{x.sum().item():.2f}")',
    'raise Numbered("b", 3)',
    'raise Unset("c", 4)',
    'raise OSError("gone")',
    'raise FileNotFoundError("no file")',
    'raise AttributeError("d")',
    'table["b"]',
    "items[3]",
    'int("x")',
    'float("y")',
    "1 / 0",
    "5 % 0",
    "math.sqrt(-1)",
    '"a" + 1',
    '"abc"[7]',
    "chr(-1)",
    '1 < "a"',
]

DECIDED = """
def f(x):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            if x.sum() > 0:
                warnings.warn("positive")
            print("no warning")
            return x * 2
        except UserWarning as warning:
            print(f"{warning} {x.sum().item():.1f}")
            return x * 3
"""

LEFT = {
    "with the stack": """
def f(x):
    try:
        raise ValueError("bad")
    except ValueError as error:
        log.error("failed", exc_info=error)
    return x + 1
""",
    "with a text of its own, in a record": """
def f(x):
    try:
        raise Shown("bad")
    except ValueError as error:
        log.error("failed: %s", error)
    return x + 1
""",
    "from C code, with another text in Dynamo": """
def f(x):
    try:
        (1, 2)[x.dim() + 1]
    except IndexError as error:
        print(error)
    return x + 1
""",
    "some warnings": """
def f(x):
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        try:
            warnings.warn("a")
            warnings.warn("b", DeprecationWarning)
        except Warning as warning:
            x = x + 1
    return x
""",
}

CALLS = [lambda: (torch.rand(3),), lambda: (-torch.rand(3),)]


@pytest.mark.parametrize("name", WHOLE)
def test_whole(tmp_path: Any, name: str) -> None:
    outcome = compare(load(tmp_path, START + WHOLE[name]), CALLS)
    assert [record["mode"] for record in outcome.report["callables"]] == ["whole"], outcome.report


@pytest.mark.parametrize("statement", FAILURES)
def test_exceptions_of_other_classes_and_of_c_code(tmp_path: Any, statement: str) -> None:
    outcome = compare(load(tmp_path, START + CAUGHT.replace("STATEMENT", statement)), CALLS)
    assert [record["mode"] for record in outcome.report["callables"]] == ["whole"], outcome.report


def test_data_decide_whether_a_warning_is_raised(tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, START + DECIDED), [CALLS[0], CALLS[0], CALLS[0], CALLS[1]])
    assert [record["mode"] for record in outcome.report["callables"]] == ["whole"], outcome.report
    assert outcome.graphs == 2


@pytest.mark.parametrize("name", LEFT)
def test_left(tmp_path: Any, name: str) -> None:
    outcome = compare(load(tmp_path, START + LEFT[name]), CALLS)
    assert [record["mode"] for record in outcome.report["callables"]] != ["whole"]


OWN = """
import torch

class ShapeError(ValueError):
    def __init__(self, name, want, got):
        super().__init__(f"{name}: want {want}, got {got}")
        self.want = want

class Inner(ShapeError):
    def __init__(self, got):
        super().__init__("inner", 2, got)

def check(x):
    if x.dim() != 2:
        raise ShapeError("x", 2, x.dim())

def chained(x):
    if x.dim() != 2:
        raise Inner(x.dim()) from KeyError("chained")
"""
CALLS_WITH_ERRORS = [lambda: (torch.ones(2, 3),), lambda: (torch.ones(3),), lambda: (torch.zeros(2, 3),)]


@pytest.mark.parametrize("check", ["check", "chained"])
def test_a_call_that_raises_an_exception_with_an_own_init(tmp_path: Any, check: str) -> None:
    outcome = compare(load(tmp_path, OWN + f"def f(x):\n    {check}(x)\n    return x + 1\n"), CALLS_WITH_ERRORS)
    assert outcome.report["callables"][0]["mode"] == "whole" and outcome.graphs == 1


@pytest.mark.parametrize(
    "body",
    [
        "    try:\n        check(x)\n    except ShapeError as error:\n        return x * 2, str(error), error.want",
        "    error = ShapeError('a', 1, x.dim())\n    return x + error.want",
        "    try:\n        check(x)\n    finally:\n        print('checked')\n    return x",
    ],
    ids=["handled", "not raised", "finally"],
)
def test_an_exception_with_an_own_init_that_the_call_goes_on_from(tmp_path: Any, body: str) -> None:
    compare(load(tmp_path, OWN + f"def f(x):\n{body}\n"), CALLS_WITH_ERRORS)


UNBOUND = """
import contextlib, torch

@contextlib.contextmanager
def scope(fails):
    try:
        yield
    except ValueError:
        pass

def f(x, count):
    for i in range(count):
        loss = x.sum() * (i + 1)
    with scope(count):
        if count > 3:
            raise ValueError
        mean = loss.mean()
    print(f"{count} steps, loss {loss.item() * 2:.3f} after {i + 1}", mean.item())
    return x + 1

make = lambda: f
"""


def test_a_variable_that_may_be_unbound(tmp_path: Any) -> None:
    """A call that reads an unbound variable raises as in plain Python."""
    calls = [lambda n=n: (torch.rand(3), n) for n in (2, 3, 0, 5, 2)]
    outcome = compare(load(tmp_path, UNBOUND), calls)
    assert outcome.graphs == 2
