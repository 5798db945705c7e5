"""Comparisons of the program's objects with numbers that the graph has as symbols.

    class Score:
        def __eq__(self, other):
            return self.value == other

    n = int(x.sum())
    Score(3) == n                # Dynamo answers False, and never asks `__eq__`

The method of the object is traced, as the numbers of Python know no such object. `!=` without a method is the opposite
of `==`. An object without a fitting method is left to Dynamo, and a method that does not answer is left to Python.
"""

from __future__ import annotations

import operator
from typing import Any

from ..base import hooks, trace_state
from ..base.dynamo_values import inline, is_constant
from ..capture.trace_time import leave_to_python
from .object_operators import caller, is_object, method_of

FEATURE = hooks.Feature(__name__, hooks.GUARD, "comparisons of objects with numbers", partial=True)
REFLECTED = {
    "__eq__": "__eq__",
    "__ne__": "__ne__",
    "__lt__": "__gt__",
    "__gt__": "__lt__",
    "__le__": "__ge__",
    "__ge__": "__le__",
}
SIGNS = {"==": "__eq__", "!=": "__ne__", "<": "__lt__", ">": "__gt__", "<=": "__le__", ">=": "__ge__"}
OPERATORS = {getattr(operator, name): name for name in REFLECTED}
FUNCTIONS = {name: caller(name) for name in REFLECTED}
DIGITS = (int, float, complex)


@FEATURE.hook("compare")
def compare_sides(compare: Any, trace: trace_state.Trace, sign: str, tx: Any, sides: Any, options: Any) -> Any:
    """Trace a comparison written in the program."""
    return hooks.DECLINED if sign not in SIGNS else answer(trace, tx, SIGNS[sign], *sides)


@FEATURE.hook("builtin.call", of=OPERATORS)
def call_operator(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Trace a function of `operator`."""
    return answer(trace, tx, OPERATORS[self.fn], *args) if len(args) == 2 else hooks.DECLINED


@FEATURE.hook("item.compare", needed=False)
def compare_items(compare: Any, trace: trace_state.Trace, tx: Any, first: Any, second: Any, op: str) -> Any:
    """Trace a comparison inside containers and functions."""
    return answer(trace, tx, op, first, second) if op in REFLECTED else hooks.DECLINED


def answer(trace: trace_state.Trace, tx: Any, op: str, left: Any, right: Any) -> Any:
    """The answer of the object's method; DECLINED for other pairs."""
    from ..base.torch_names import SymNodeVariable

    left, right = left.realize(), right.realize()
    if isinstance(left, SymNodeVariable):
        op, left, right = REFLECTED[op], right, left
    if not isinstance(right, SymNodeVariable) or not is_object(left) or issubclass(left.python_type(), DIGITS):
        return hooks.DECLINED
    if op == "__ne__" and left.python_type().__ne__ is object.__ne__ and method_of(left, "__eq__") is not None:
        result = inline(tx, differs, [left, right], {})
    elif method_of(left, op) is not None:
        result = inline(tx, FUNCTIONS[op], [left, right], {})
    else:
        return hooks.DECLINED
    if is_constant(result, NotImplemented):
        leave_to_python(trace, "a comparison with a number that the object does not answer")
    return result


def differs(left: Any, right: Any) -> Any:
    """`left != right` of an object that only knows `==`."""
    result = left.__eq__(right)
    return result if result is NotImplemented else not result
