"""Functions of Python's `math` of numbers that data decide, as an operator of the graph.

Dynamo knows few of them, and tensors compute them in another way: `torch.exp` need not give the bits of `math.exp`. The
operator calls the function itself. What that raises, it raises again when the call is run in eager Python.
"""

from __future__ import annotations

import math
from typing import Any, Callable, Optional

import torch

from . import operators
from .watch import decided_by_data

NAMES = """
acosh asinh atan2 atanh copysign cbrt degrees dist erf erfc exp exp2 expm1 fmod gamma hypot isclose
ldexp lgamma log log10 log1p log2 nextafter pow remainder ulp
""".split()
FUNCTIONS: dict[Any, str] = {getattr(math, name): name for name in NAMES if hasattr(math, name)}
TRUTHS = frozenset(["isclose"])
LARGEST = 2**63 - 1


def close(first: float, second: float, relative: float = 1e-09, absolute: float = 0.0) -> bool:
    """`math.isclose`, its options by position."""
    return math.isclose(first, second, rel_tol=relative, abs_tol=absolute)


def number(name: str, operands: list[torch.Tensor]) -> torch.Tensor:
    """What a function gives, in a tensor without dimensions."""
    function: Callable[..., Any] = close if name == "isclose" else getattr(math, name)
    value = function(*(operand.item() for operand in operands))
    return torch.tensor(value, dtype=dtype_of(name))


def like_number(name: str, operands: list[torch.Tensor]) -> torch.Tensor:
    """What its result looks like."""
    return torch.empty((), dtype=dtype_of(name))


def dtype_of(name: str) -> torch.dtype:
    """The type of a result."""
    return torch.bool if name in TRUTHS else torch.float64


OPERATOR = operators.define("number(str name, Tensor[] operands) -> Tensor", number, like_number)


def computed(tx: Any, function: Any, args: list, kwargs: Any) -> Any:
    """Dynamo's variable of what a function gives; None where Dynamo knows better, or the operator does not do."""
    from torch._dynamo.variables import ConstantVariable
    from torch._dynamo.variables.builder import wrap_fx_proxy

    name = FUNCTIONS.get(function)
    values = [value.realize() for value in args]
    if name is None or not any(map(decided_by_data, values)) or tx.output.current_tracer.parent is not None:
        return None
    if kwargs and (name != "isclose" or not kwargs.keys() <= {"rel_tol", "abs_tol"} or len(values) != 2):
        return None
    if kwargs:
        defaults = {"rel_tol": 1e-09, "abs_tol": 0.0}
        values += [kwargs.get(option, ConstantVariable.create(value)) for option, value in defaults.items()]
    operands = [operand_of(tx, value) for value in values]
    if None in operands:
        return None
    inputs = (name, [operand.as_proxy() for operand in operands])
    proxy = tx.output.create_proxy("call_function", OPERATOR, inputs, {})
    return wrap_fx_proxy(tx, proxy).call_method(tx, "item", [], {})


def operand_of(tx: Any, value: Any) -> Optional[Any]:
    """Dynamo's variable of a tensor that holds a number; None for what is none, or too large."""
    from torch._dynamo.variables import SymNodeVariable, VariableTracker

    real = False
    if isinstance(value, SymNodeVariable):
        if isinstance(value.sym_num, torch.SymBool):
            return None
        real = isinstance(value.sym_num, torch.SymFloat)
    elif value.is_python_constant():
        constant = value.as_python_constant()
        if type(constant) not in (int, float) or (type(constant) is int and abs(constant) > LARGEST):
            return None
        real = type(constant) is float
    else:
        return None
    options = {"dtype": VariableTracker.build(tx, torch.float64 if real else torch.int64)}
    return VariableTracker.build(tx, torch.scalar_tensor).call_function(tx, [value], options)
