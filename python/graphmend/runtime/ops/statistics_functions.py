"""Functions of `statistics` of numbers that data decide, as an operator of the graph.

They add exact fractions, which no formula of the graph does. The operator calls the function itself; what that raises,
it raises again when the call is run in eager Python.
"""

from __future__ import annotations

import statistics
from typing import Any, Callable, Optional

import torch

from ..base import define_op, hooks, trace_state
from ..capture.identity_guard import decided_by_data
from .math_functions import operands_of

FEATURE = hooks.Feature(__name__, hooks.GAIN, "functions of `statistics` of numbers that data decide")

# Of floating point numbers alone these give one such number.
NAMES = """
fmean geometric_mean harmonic_mean mean median median_high median_low mode pstdev pvariance stdev variance
""".split()
FUNCTIONS: dict[Any, str] = {getattr(statistics, name): name for name in NAMES}


def statistic(name: str, numbers: list[torch.Tensor]) -> torch.Tensor:
    """What a function gives, in a tensor without dimensions."""
    function: Callable[..., Any] = getattr(statistics, name)
    value = function([number.item() for number in numbers])
    if type(value) is not float:
        raise TypeError("no floating point number")
    return torch.tensor(value, dtype=torch.float64)


def like_statistic(name: str, numbers: list[torch.Tensor]) -> torch.Tensor:
    """What its result looks like."""
    return torch.empty((), dtype=torch.float64)


OPERATOR = define_op.define("statistic(str name, Tensor[] numbers) -> Tensor", statistic, like_statistic)


@FEATURE.hook("function.call")
def compute_statistic(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Put such a function into the graph."""
    name = FUNCTIONS.get(getattr(self, "fn", None))
    found = computed(tx, name, args[0].realize()) if name and len(args) == 1 and not kwargs else None
    return hooks.DECLINED if found is None else found


def computed(tx: Any, name: str, row: Any) -> Optional[Any]:
    """Dynamo's variable of what a function gives; None where Dynamo knows better, or the operator does not do."""
    from ..base.torch_names import DequeVariable, ListVariable, TupleVariable, wrap_fx_proxy

    if not isinstance(row, (DequeVariable, ListVariable, TupleVariable)):
        return None
    values = [value.realize() for value in row.items]
    if not any(map(decided_by_data, values)) or any(value.python_type() is not float for value in values):
        return None
    operands = operands_of(tx, values)
    if operands is None:
        return None
    proxy = tx.output.create_proxy("call_function", OPERATOR, (name, operands), {})
    return wrap_fx_proxy(tx, proxy).call_method(tx, "item", [], {})
