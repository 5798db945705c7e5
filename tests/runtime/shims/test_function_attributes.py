"""Attributes of functions that a call sets, and asks for."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

START = """
import functools
import torch

def counted(function):
    @functools.wraps(function)
    def wrapper(*args):
        wrapper.calls += 1
        return function(*args)

    wrapper.calls = 0
    return wrapper

def helper(x):
    return x * 2

@counted
def scale(x):
    return x * 3

other = helper
seen = []
"""
CALLS = [lambda: (torch.ones(3),), lambda: (torch.ones(3) - 4,), lambda: (torch.ones(2, 2),)]
WHOLE = {
    "a counter of a decorator": "return scale(x) + scale(-x), scale.calls",
    "a mark that is set once": """
    if not hasattr(helper, "warned"):
        helper.warned = True
        print("first")
    return helper(x)""",
    "two names of one function": """
    helper.last = x.dim()
    other.last += 1
    print(other.last, getattr(helper, "missing", None))
    return x + helper.last""",
    "a tensor": """
    helper.last = x.relu()
    return x + other.last""",
    "behind a test of data": """
    if x.sum() > 0:
        print("positive")
    helper.sizes = tuple(x.shape)
    return x + 1""",
    "of a method": """
    Model.step.calls = getattr(Model.step, "calls", 0) + 1
    return Model().step(x)
class Model:
    def step(self, x):
        return x + 1""",
}
REST = """
def shown():
    last = getattr(helper, "last", None)
    return repr((scale.calls, hasattr(helper, "warned"), last, getattr(helper, "sizes", None)))

def make():
    f.shown = shown
    return f
"""


@pytest.mark.parametrize("name", WHOLE)
def test_a_call_that_sets_attributes_is_whole(tmp_path: Any, name: str) -> None:
    outcome = compare(load(tmp_path, START + f"def f(x):\n    {WHOLE[name]}\n" + REST), CALLS)
    assert outcome.report["callables"][0]["mode"] == "whole", outcome.report["callables"][0]["reason"]


def test_a_counter_is_no_graph_for_each_number(tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, START + "def f(x):\n    return scale(x)\n" + REST), CALLS[:1])
    assert outcome.graphs <= 2


@pytest.mark.parametrize(
    "body",
    [
        "helper.last = 1\n    return x + len(helper.__dict__)",
        "helper.last = 1\n    del helper.last\n    return x + hasattr(helper, 'last')",
        "helper.__name__ = 'renamed'\n    return x, helper.__name__",
        "helper.last = x.dim()\n    if x.min() < -1:\n        raise ValueError(helper.last)\n    return x",
        "print('a')\n    helper.last = x.dim()\n    seen[:] = [1]\n    print(1 / (x.dim() - 2))\n    return x",
    ],
    ids=["looked at", "deleted", "of Python", "behind a guard", "beside an effect that raises"],
)
def test_what_is_left_is_the_same(tmp_path: Any, body: str) -> None:
    compare(load(tmp_path, START + f"def f(x):\n    {body}\n" + REST), CALLS)


QUALIFIED = """
import functools

import torch

def helper(x):
    return x * 2

class Kernel:
    def cached(method):
        @functools.wraps(method)
        def wrapper(self, x):
            name = method.__qualname__
            if name not in self.table:
                self.table[name] = method(self, x)
            return self.table[name], f"{name}/{wrapper.__qualname__}", name == "Kernel.scale"
        return wrapper

    @cached
    def scale(self, x):
        return x * 3

    def __init__(self):
        self.table = {}

def make():
    def f(x):
        kernel = Kernel()
        print(helper.__qualname__, x.sum().item())
        return kernel.scale(x), kernel.scale(x), list(kernel.table), f"{helper.__qualname__}!", f.__qualname__ == "g"
    return f
"""


def test_qualified_names(tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, QUALIFIED), CALLS[:2])
    assert outcome.report["callables"][0]["mode"] == "whole"


def test_a_qualified_name_that_changes(tmp_path: Any) -> None:
    program = load(
        tmp_path, "import torch\ndef g(x):\n    return x\ndef f(x):\n    return x + 1, f'{g.__qualname__}'\n"
    )
    f = program()
    torch._dynamo.reset()
    function = torch.compile(f, backend="eager")
    names = []
    for name in ("g", "other", "other", "g"):
        f.__globals__["g"].__qualname__ = name
        names.append(function(torch.ones(2))[1])
    assert names == ["g", "other", "other", "g"]
