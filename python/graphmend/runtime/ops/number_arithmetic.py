"""Arithmetic of Python on numbers from the data, as an operator of the graph.

    share = hits.sum().item()
    self.average = 0.9 * self.average + 0.1 * share     # graphmend_functions::number("mul", ..), number("add", ..)
    if share != share: ...                              # number("ne", ..): true for NaN

Dynamo writes arithmetic as a formula. A formula simplifies: `(v + 1e20) - 1e20` becomes `v`, and `v - v` becomes 0,
which is another thing for NaN and infinite numbers. A compiler computes a formula with its own rules of rounding. So a
number is computed by Python's operator where a compiler gets the graph, and where one symbol stands on both sides.
"""

from __future__ import annotations

import operator
from typing import Any

from ..base import hooks, trace_state
from ..capture.data_scalars import compiles_numbers
from .math_functions import ARITHMETIC, COMPARISONS, is_fraction_of_data, operands_of, operator_result

FEATURE = hooks.Feature(__name__, hooks.GAIN, "arithmetic on numbers from the data")

OPERATIONS = {
    **{getattr(operator, name): name for name in (*ARITHMETIC, *COMPARISONS)},
    **{getattr(operator, f"i{name}"): name for name in ARITHMETIC if hasattr(operator, f"i{name}")},
    abs: "abs",
}


@FEATURE.hook("builtin.call", of=OPERATIONS)
def compute(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Dynamo's variable of the number that Python's operator gives."""
    if kwargs or not trace.whole:
        return hooks.DECLINED
    name, values = OPERATIONS[self.fn], [value.realize() for value in args]
    if not any(map(is_fraction_of_data, values)) or not all(map(is_number, values)):
        return hooks.DECLINED
    is_exact = name in COMPARISONS or not compiles_numbers(getattr(tx.output.compiler_fn, "inner", None))
    if is_exact and not may_simplify(values):
        return hooks.DECLINED
    operands = operands_of(tx, values)
    return hooks.DECLINED if operands is None else operator_result(tx, f"operator.{name}", operands)


def is_number(value: Any) -> bool:
    """Whether Dynamo's variable is an integer or a float."""
    from ..base.torch_names import SymNodeVariable

    is_known = isinstance(value, SymNodeVariable) or value.is_python_constant()
    return is_known and value.python_type() in (int, float)


def may_simplify(values: list[Any]) -> bool:
    """Whether a formula of the values may lose a part: one is zero, two have one symbol, or one is a formula itself."""
    formulas = [value.sym_num.node.expr for value in values if not value.is_python_constant()]
    has_zero = any(value.is_python_constant() and value.as_python_constant() == 0 for value in values)
    return has_zero or not all(formula.is_Symbol for formula in formulas) or len(set(formulas)) < len(formulas)
