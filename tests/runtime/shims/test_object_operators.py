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


@pytest.mark.parametrize("member", ["__float__", "__len__", "__array__", "__add__"])
def test_what_torch_may_read_is_left_to_torch(tmp_path: Any, member: str) -> None:
    text = f"""
        class Readable:
            def {member}(self, *args):
                return 2
            def __radd__(self, other):
                return other * 10

        def f(x):
            return x + Readable()
        """
    compare(load(tmp_path, text), [lambda: (torch.tensor([1.5, -2.0]),)], rounds=2)


def test_an_operator_that_no_method_answers_raises_as_in_python(tmp_path: Any) -> None:
    text = """
        class Silent:
            def __matmul__(self, other):
                return NotImplemented

        def f(x):
            return Silent() @ x
        """
    compare(load(tmp_path, text), [lambda: (torch.tensor([1.5, -2.0]),)], rounds=2)
