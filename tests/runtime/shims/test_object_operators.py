"""Operators with objects of the program as operands: the order of methods, and results, are those of Python."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

NAMES = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "matmul": "@",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "lshift": "<<",
    "rshift": ">>",
    "and": "&",
    "or": "|",
    "xor": "^",
}
PROGRAM = """
    class Value:
        def __init__(self, tensor):
            self.tensor = tensor
        def __{name}__(self, other):
            return self.tensor * 2 + (other.tensor if isinstance(other, Value) else other)
        def __r{name}__(self, other):
            return self.tensor * 3 + (other.tensor if isinstance(other, Silent) else other)
        def __i{name}__(self, other):
            return Value(self.tensor * 5)

    class Refined(Value):
        def __r{name}__(self, other):
            return self.tensor * 7

    class Silent:
        def __init__(self, tensor):
            self.tensor = tensor
        def __{name}__(self, other):
            return NotImplemented

    def f(x):
        {use}
    """
USES = [
    "return Value(x) {sign} x",
    "return x {sign} Value(x)",
    "return Value(x) {sign} Value(x)",
    "return Value(x) {sign} Refined(x)",
    "return Refined(x) {sign} Value(x)",
    "return Silent(x) {sign} Value(x)",
    "v = Value(x); v {sign}= x; return v.tensor",
    "v = Refined(x); v {sign}= Value(x); return v.tensor",
]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("name", NAMES)
def test_operators_of_objects_are_one_graph(tmp_path: Any, name: str, use: str) -> None:
    make = load(tmp_path, PROGRAM.format(name=name, use=use.format(sign=NAMES[name])))
    outcome = compare(make, [lambda: (torch.tensor([1.5, -2.0]),)], rounds=2)
    assert outcome.graphs == 1 and outcome.report["callables"][0]["mode"] == "whole"


MEMBERS = ["__float__", "__int__", "__index__", "__len__", "__iter__", "__array__", "__getitem__", "__add__"]


@pytest.mark.parametrize("sign", ["+", "@", "//"])
@pytest.mark.parametrize("member", MEMBERS)
def test_torch_asks_an_object_for_nothing_but_the_operator(tmp_path: Any, member: str, sign: str) -> None:
    method = {"+": "radd", "@": "rmatmul", "//": "rfloordiv"}[sign]
    text = f"""
        class Readable:
            def {member}(self, *args):
                return 2
            def __{method}__(self, other):
                return other * 10

        def f(x):
            return x {sign} Readable()
        """
    outcome = compare(load(tmp_path, text), [lambda: (torch.tensor([1.5, -2.0]),)], rounds=2)
    assert outcome.graphs == 1 and outcome.report["callables"][0]["mode"] == "whole"


@pytest.mark.parametrize("base", ["int", "float", "complex", "list", "numpy.float64", "numpy.ndarray"])
def test_what_torch_may_read_is_left_to_torch(tmp_path: Any, base: str) -> None:
    text = f"""
        import numpy

        class Derived({base}):
            def __radd__(self, other):
                return other * 10

        def f(x):
            return x + Derived((2,) if {base} in (list, numpy.ndarray) else 2)
        """
    compare(load(tmp_path, text), [lambda: (torch.tensor([1.5, -2.0]),)], grad=False, rounds=2)


def test_an_operator_that_no_method_answers_raises_as_in_python(tmp_path: Any) -> None:
    text = """
        class Silent:
            def __matmul__(self, other):
                return NotImplemented

        def f(x):
            return Silent() @ x
        """
    compare(load(tmp_path, text), [lambda: (torch.tensor([1.5, -2.0]),)], rounds=2)
