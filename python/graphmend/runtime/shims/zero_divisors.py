"""Divisions by numbers that the graph has as symbols: counters, sizes, and numbers that data decide.

    try:
        share = self.hits / self.seen
    except ZeroDivisionError:          # the graph divides; its error passes by the handler
        share = 0.0

The trace asks whether the divisor is zero, and the graph is guarded by the answer. Where it is zero, the trace raises
the error of Python. Where data decide the divisor, the question is only asked inside of a `try`: elsewhere the error
leaves the call, and the call is run by Python.
"""

from __future__ import annotations

import operator
from typing import Any

from ..base import hooks, trace_state
from ..base.dynamo_values import is_in_try
from ..capture.identity_guard import decided_by_data
from ..capture.implicit_bool import constant, decide_number, truth_answer
from ..capture.trace_time import leave_to_python

FEATURE = hooks.Feature(__name__, hooks.GUARD, "divisors that are zero", partial=True)

DIVISIONS = frozenset(
    [operator.truediv, operator.floordiv, operator.mod, operator.itruediv, operator.ifloordiv, operator.imod, divmod]
)


@FEATURE.hook("builtin.call", of=DIVISIONS)
def divide(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Ask whether a divisor is zero."""
    from ..base.torch_names import SymNodeVariable, generic_richcompare, raise_observed_exception

    if len(args) != 2 or kwargs:
        return hooks.DECLINED
    number, divisor = (item.realize() for item in args)
    if not isinstance(divisor, SymNodeVariable) or number.python_type() not in (int, float, bool):
        return hooks.DECLINED
    if decided_by_data(divisor) and not is_in_try():
        return hooks.DECLINED
    test = generic_richcompare(tx, divisor, constant(0), "__ne__")
    answer = decide_number(tx, test) if decided_by_data(test) else truth_answer(tx, test)
    if answer is None:
        leave_to_python(trace, "a divisor may be zero, which the program may handle")
    if answer:
        return hooks.DECLINED
    kinds = number.python_type(), divisor.python_type()
    return raise_observed_exception(ZeroDivisionError, tx, args=[constant(text_of(self.fn, *kinds))])


def text_of(divide: Any, number: type, divisor: type) -> str:
    """The text of Python's error for numbers of two types."""
    try:
        divide(number(1), divisor(0))
    except ZeroDivisionError as error:
        return str(error)
    raise AssertionError("Python has divided by zero")
