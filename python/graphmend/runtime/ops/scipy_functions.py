"""Functions of SciPy that compute on the CPU, as operators of the graph.

    rows, columns = linear_sum_assignment(cost)         # Dynamo breaks at compiled code
    # traced: graphmend_functions::assignment(cost, False)
    # fake results: two int64 vectors of length min(rows, columns)

A function qualifies if its arguments, the form of its results and the absence of effects are known. An exception ends
the run of the graph, and the eager run of the call raises the exception again.
"""

from __future__ import annotations

import operator
import sys
from typing import Any, Callable

import torch

from ..base import call_stack, define_op, hooks, trace_state
from ..external import external_calls

FEATURE = hooks.Feature(__name__, hooks.GAIN, "the assignment problem of SciPy")

NUMBERS = (torch.float64, torch.float32, torch.float16, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


def assignment(cost: torch.Tensor, maximize: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """`scipy.optimize.linear_sum_assignment`: the rows and columns of the cheapest pairs of a matrix."""
    rows, columns = sys.modules["scipy.optimize"].linear_sum_assignment(cost.numpy(), maximize)
    return torch.from_numpy(rows), torch.from_numpy(columns)


def like_assignment(cost: torch.Tensor, maximize: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """Fake kernel: tensors like the results."""
    smaller: Callable[[int, int], int] = torch.sym_min
    pairs = smaller(cost.shape[0], cost.shape[1])
    return torch.empty((pairs,), dtype=torch.int64), torch.empty((pairs,), dtype=torch.int64)


SCHEMA = "assignment(Tensor cost, bool maximize) -> (Tensor, Tensor)"
OPERATOR = define_op.define(SCHEMA, assignment, like_assignment)


@FEATURE.hook("skipped.call")
def call_assignment(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Put the function into the graph as an operator."""
    if not is_assignment(self.value) or tx.output.current_tracer.parent is not None:
        return hooks.DECLINED
    arguments = {**dict(zip(("cost_matrix", "maximize"), args)), **kwargs}
    if len(args) + len(kwargs) != len(arguments) or not arguments.keys() <= {"cost_matrix", "maximize"}:
        return hooks.DECLINED
    cost, maximize = arguments.get("cost_matrix"), arguments.get("maximize")
    if cost is None or not is_matrix(cost) or not (maximize is None or maximize.is_python_constant()):
        return hooks.DECLINED
    external_calls.guard(self, self.value)
    trace.libraries[call_stack.site_at(tx, "GM501")] = None
    return operator_result(tx, cost, maximize is not None and bool(maximize.as_python_constant()))


def is_assignment(function: Any) -> bool:
    """Whether a function is SciPy's solver of the assignment problem."""
    home = sys.modules.get("scipy.optimize")
    return home is not None and function is getattr(home, "linear_sum_assignment", None)


def is_matrix(variable: Any) -> bool:
    """Whether a variable is a tensor that NumPy reads as a matrix of numbers."""
    if type(variable.realize()).__name__ != "TensorVariable":
        return False
    value = variable.as_proxy().node.meta["example_value"]
    plain = value.layout == torch.strided and value.device.type == "cpu" and not value.requires_grad
    return plain and value.dim() == 2 and value.dtype in NUMBERS and not value.is_neg()


def operator_result(tx: Any, cost: Any, maximize: bool) -> Any:
    """Dynamo's variable for the two arrays."""
    from ..base.torch_names import NumpyNdarrayVariable, TupleVariable, wrap_fx_proxy

    inputs = (cost.as_proxy(), maximize)
    both = wrap_fx_proxy(tx, tx.output.create_proxy("call_function", OPERATOR, inputs, {})).as_proxy()
    parts = (tx.output.create_proxy("call_function", operator.getitem, (both, i), {}) for i in range(2))
    return TupleVariable([NumpyNdarrayVariable.create(tx, part) for part in parts])
