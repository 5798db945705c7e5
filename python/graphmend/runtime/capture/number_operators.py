"""Trial runs of Dynamo's formulas for symbolic numbers, compared with Python's own operators.

    n = int(mask.sum())
    step = round(n, -1)     # Dynamo's formula is n itself, Python's result is a multiple of ten
    odd = n & 1 == 1        # Dynamo's formula of `flag & 1` is a truth value, Python's result an integer

For each new number computed from numbers, the formula is evaluated at a few points. Python's operator runs with the
same arguments, and value and type of both results have to agree.

A loop can double a formula in each step: the time of an integrator is a sum of steps, and each step is at most what is
left of the time. Work on such a formula takes as long as the formula is, so a trace with one is refused.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, Iterator

import torch
from torch.fx import Node

from ..base import hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GUARD, "numbers as Python computes them")

NUMBERS = (torch.SymInt, torch.SymFloat, torch.SymBool)
PYTHON = frozenset(["_operator", "builtins", "math", "operator", "torch"])  # modules of operators on Python's numbers
# Points of the trials for integer symbols and for floating-point symbols; symbols of truth values are integers, too.
INTEGERS, REALS = (1, 0, 12345, -7, 10**6), (1.25, -3.5, 0.0, 1234.5678)

LONGEST = 1000  # parts of a formula


class NotTried(Exception):
    """Raised where a formula has no value at the points of a trial."""


@FEATURE.hook("graph.example")
def note_example(note: Any, trace: trace_state.Trace, node: Node, value: Any) -> None:
    """Refuse a formula that disagrees with Python."""
    note(node, value)
    if isinstance(value, NUMBERS) and is_long(value.node.expr):
        raise trace_state.SiteRefused("the formula of a number is too long")
    if isinstance(value, NUMBERS + (bool, int, float)) and computes_with_numbers(node):
        for result, given, named, numbers in trials(node, value):
            if not agrees(node, result, given, named) and not excluded(shapes_of(node), numbers):
                raise trace_state.SiteRefused(f"`{node.target}` of a number that data decide is another number")


def is_long(formula: Any) -> bool:
    """Whether a formula has more parts than a trace can work with."""
    from sympy import preorder_traversal

    return next(itertools.islice(preorder_traversal(formula), LONGEST, None), None) is not None


def computes_with_numbers(node: Node) -> bool:
    """Whether a node calls an operator, function or method of Python with numbers only, at least one of
    them symbolic.
    """
    if node.op == "call_function" and getattr(node.target, "__module__", None) not in PYTHON:
        return False
    values = [value_of(item) for item in (*node.args, *node.kwargs.values())]
    only_numbers = all(item is None or isinstance(item, NUMBERS + (bool, int, float)) for item in values)
    return node.op.startswith("call") and only_numbers and any(isinstance(item, NUMBERS) for item in values)


def value_of(item: Any) -> Any:
    """The value of an argument as known to the trace."""
    return item.meta.get("example_value") if isinstance(item, Node) else item


def symbolic_arguments(node: Node) -> list[Any]:
    """The symbolic arguments of a node."""
    values = (value_of(item) for item in (*node.args, *node.kwargs.values()))
    return [item for item in values if isinstance(item, NUMBERS)]


def shapes_of(node: Node) -> Any:
    """The environment of the symbols of a node."""
    return symbolic_arguments(node)[0].node.shape_env


def excluded(shapes: Any, numbers: dict[Any, Any]) -> bool:
    """Whether a guard of the graph fails at a point.

    Dynamo answers some questions about a size at once and guards on the answer, such as `(n / 4).is_integer()`.
    """
    import sympy

    facts = (fact for guard in shapes.guards for fact in sympy.And.make_args(guard.expr))
    return any(fact.free_symbols <= numbers.keys() and is_false(fact, numbers) for fact in facts)


def is_false(formula: Any, numbers: dict[Any, Any]) -> bool:
    """Whether a formula is false at a point; a formula without a value there is not."""
    import sympy

    try:
        return formula.xreplace(sympified(numbers)) is sympy.false
    except (ArithmeticError, AssertionError, NotImplementedError, TypeError, ValueError):
        return False


def sympified(numbers: dict[Any, Any]) -> dict[Any, Any]:
    """The numbers of a point as sympy's."""
    import sympy

    return {symbol: sympy.sympify(number) for symbol, number in numbers.items()}


def trials(node: Node, value: Any) -> Iterator[tuple[Any, list[Any], dict[str, Any], dict[Any, Any]]]:
    """The value of a node's formula at some points, the node's arguments at the same points, and the points."""
    symbols = sorted(set().union(*(item.node.expr.free_symbols for item in symbolic_arguments(node))), key=str)
    shapes = shapes_of(node)
    for turn in range(len(INTEGERS)):
        numbers = {symbol: point_of(shapes, symbol, turn + place) for place, symbol in enumerate(symbols)}
        try:
            args = [number_for(value_of(item), numbers) for item in node.args]
            kwargs = {name: number_for(value_of(item), numbers) for name, item in node.kwargs.items()}
            yield number_for(value, numbers), args, kwargs, numbers
        except NotTried:
            continue


def point_of(shapes: Any, symbol: Any, turn: int) -> Any:
    """The number for a symbol in a trial: inside of the symbol's range, which guards and checks of the graph hold."""
    if not symbol.is_integer:
        return REALS[turn % len(REALS)]
    number, bounds = INTEGERS[turn % len(INTEGERS)], shapes.var_to_range.get(symbol)
    return number if bounds is None else int(min(max(number, bounds.lower), bounds.upper))


def number_for(value: Any, numbers: dict[Any, Any]) -> Any:
    """The Python number that a formula gives at a point; values without a formula stay unchanged."""
    import sympy

    if not isinstance(value, NUMBERS):
        return value
    try:
        result = value.node.expr.xreplace(sympified(numbers))
        if not (result.is_number or result in (sympy.true, sympy.false)):
            raise NotTried
        return value.node.pytype(result)
    except (ArithmeticError, AssertionError, NotImplementedError, TypeError, ValueError):
        raise NotTried from None


def agrees(node: Node, result: Any, args: list[Any], kwargs: dict[str, Any]) -> bool:
    """Whether Python's operator gives the same number.

    An arithmetic error or ValueError counts as agreement, because the graph raises the exception, too.
    """
    function: Any = node.target
    try:
        if node.op == "call_method":
            function, args = getattr(args[0], str(node.target)), args[1:]
        expected = function(*args, **kwargs)
    except (ArithmeticError, ValueError):
        return True
    except TypeError:
        return False
    if type(expected) is not type(result):
        return False
    return expected == result or (
        type(expected) is float and math.isclose(expected, result, rel_tol=1e-9, abs_tol=1e-300)
    )
