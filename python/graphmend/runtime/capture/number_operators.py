"""Formulas of numbers that a trace does not know, tried out against what Python computes.

Dynamo writes what becomes of such a number as a formula. Some say something else than Python: the formula of
`round(n, -1)` is that of n, `flag & 1` is a truth value. So where an operator has made a number of numbers, the formula
is evaluated for a few of them, and Python's own operator called with them; both have to give the same in the same type.
"""

from __future__ import annotations

import math
from typing import Any, Iterator

import torch
from torch.fx import Node

from ..base import hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GUARD, "numbers as Python computes them")

NUMBERS = (torch.SymInt, torch.SymFloat, torch.SymBool)
PYTHON = frozenset(["_operator", "builtins", "math", "operator", "torch"])  # modules of operators on Python's numbers
# What a symbol may stand for, by whether it is an integer; some integers are truth values.
INTEGERS, REALS = (1, 0, 12345, -7, 10**6), (1.25, -3.5, 0.0, 1234.5678)


class NotTried(Exception):
    """A formula that has no number for some numbers."""


@FEATURE.hook("graph.example")
def note_example(note: Any, trace: trace_state.Trace, node: Node, value: Any) -> None:
    """Refuse a formula that does not give what Python gives."""
    note(node, value)
    if isinstance(value, NUMBERS + (bool, int, float)) and computes_with_numbers(node):
        for result, given, named in trials(node, value):
            if not agrees(node, result, given, named):
                raise trace_state.SiteRefused(f"`{node.target}` of a number that data decide is another number")


def computes_with_numbers(node: Node) -> bool:
    """Whether a node calls an operator, function or method of Python with nothing but numbers, one of them open."""
    if node.op == "call_function" and getattr(node.target, "__module__", None) not in PYTHON:
        return False
    values = [value_of(item) for item in (*node.args, *node.kwargs.values())]
    known = all(item is None or isinstance(item, NUMBERS + (bool, int, float)) for item in values)
    return node.op.startswith("call") and known and any(isinstance(item, NUMBERS) for item in values)


def value_of(item: Any) -> Any:
    """What the trace knows of an argument."""
    return item.meta.get("example_value") if isinstance(item, Node) else item


def trials(node: Node, value: Any) -> Iterator[tuple[Any, list, dict]]:
    """What the formula of a node gives for some numbers, and the arguments of the node for them."""
    values = [value_of(item) for item in (*node.args, *node.kwargs.values())]
    symbols = sorted(
        set().union(*(item.node.expr.free_symbols for item in values if isinstance(item, NUMBERS))), key=str
    )
    for turn in range(len(INTEGERS)):
        numbers = {
            symbol: (INTEGERS if symbol.is_integer else REALS)[(turn + place) % (5 if symbol.is_integer else 4)]
            for place, symbol in enumerate(symbols)
        }
        try:
            given = [number_for(value_of(item), numbers) for item in node.args]
            named = {name: number_for(value_of(item), numbers) for name, item in node.kwargs.items()}
            yield number_for(value, numbers), given, named
        except NotTried:
            continue


def number_for(value: Any, numbers: dict) -> Any:
    """The Python number that a formula gives; other values as they are."""
    import sympy

    if not isinstance(value, NUMBERS):
        return value
    try:
        found = value.node.expr.xreplace({symbol: sympy.sympify(number) for symbol, number in numbers.items()})
        if not (found.is_number or found in (sympy.true, sympy.false)):
            raise NotTried
        return value.node.pytype(found)
    except (ArithmeticError, AssertionError, NotImplementedError, TypeError, ValueError):
        raise NotTried from None


def agrees(node: Node, result: Any, given: list, named: dict) -> bool:
    """Whether Python gives a number, too; what it raises, it raises where the graph runs."""
    function: Any = node.target
    try:
        if node.op == "call_method":
            function, given = getattr(given[0], str(node.target)), given[1:]
        found = function(*given, **named)
    except (ArithmeticError, ValueError):
        return True
    except TypeError:
        return False
    if type(found) is not type(result):
        return False
    return found == result or (type(found) is float and math.isclose(found, result, rel_tol=1e-9, abs_tol=1e-300))
