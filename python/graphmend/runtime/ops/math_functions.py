"""Functions of Python's `math`, `int` and `round`, on open numbers, as an operator of the graph.

    n = x.sum().item()
    y = math.lgamma(n)           # t = torch.scalar_tensor(n); y = graphmend_functions::number("lgamma", [t]).item()
    k = math.floor(n)            # k = graphmend_functions::number("floor", [t]).item()
    rate = math.exp(-self.steps / 200)       # a counter of the program: Dynamo would compile anew for each count

Dynamo knows few of these functions, and tensors compute differently: `torch.exp` may give other bits than `math.exp`.
The operator calls the function of Python itself. An exception of the function ends the run of the graph, and the eager
run of the call raises the exception again.
"""

from __future__ import annotations

import math
import operator
from typing import Any, Callable, Optional

import torch

from ..base import define_op
from ..base.dynamo_values import source_name
from ..capture.identity_guard import decided_by_data

NAMES = """
acosh asinh atan2 atanh copysign cbrt degrees dist erf erfc exp exp2 expm1 fmod gamma hypot isclose
ldexp lgamma log log10 log1p log2 nextafter pow remainder ulp
""".split()
# Functions for which Dynamo has formulas; no compiler computes Python's bits.
KNOWN = "acos asin atan cos cosh sin sinh sqrt tan tanh".split()
FUNCTIONS: dict[Any, str] = {getattr(math, name): name for name in (*NAMES, *KNOWN) if hasattr(math, name)}
WHOLE: dict[Any, str] = {int: "int", round: "round", math.floor: "floor", math.ceil: "ceil", math.trunc: "trunc"}
INTEGERS = frozenset([*WHOLE.values(), "exponent"])
EXACT = frozenset(
    getattr(math, name) for name in ("gcd", "lcm", "isqrt", "comb", "perm", "factorial") if hasattr(math, name)
)
LISTS = frozenset(getattr(math, name) for name in ("dist", "fsum", "prod", "sumprod") if hasattr(math, name))
ARITHMETIC = "abs add floordiv mod mul neg pow sub truediv".split()
COMPARISONS = "eq ge gt le lt ne".split()
TRUTHS = frozenset(["isclose", *(f"operator.{name}" for name in COMPARISONS)])
LARGEST = 2**63 - 1


def is_close(first: float, second: float, relative: float = 1e-09, absolute: float = 0.0) -> bool:
    """`math.isclose`, with options by position."""
    return math.isclose(first, second, rel_tol=relative, abs_tol=absolute)


# Functions that return two numbers.
PAIRS: dict[Any, tuple[str, str]] = {math.frexp: ("mantissa", "exponent"), math.modf: ("fraction", "whole")}
OTHERS: dict[str, Callable[..., Any]] = {
    "isclose": is_close,
    "int": int,
    "round": round,
    "mantissa": lambda value: math.frexp(value)[0],
    "exponent": lambda value: math.frexp(value)[1],
    "fraction": lambda value: math.modf(value)[0],
    "whole": lambda value: math.modf(value)[1],
    "max": max,
    "min": min,
    **{f"operator.{name}": getattr(operator, name) for name in (*ARITHMETIC, *COMPARISONS)},
}


def number(name: str, operands: list[torch.Tensor]) -> torch.Tensor:
    """Kernel: the result of a function, in a tensor without dimensions."""
    function: Callable[..., Any] = OTHERS.get(name) or getattr(math, name)
    value = function(*(operand.item() for operand in operands))
    return torch.tensor(value, dtype=dtype_of(name))


def like_number(name: str, operands: list[torch.Tensor]) -> torch.Tensor:
    """Fake kernel: a tensor like the result."""
    return torch.empty((), dtype=dtype_of(name))


def dtype_of(name: str) -> torch.dtype:
    """The dtype of a result."""
    return torch.bool if name in TRUTHS else torch.int64 if name in INTEGERS else torch.float64


OPERATOR = define_op.define("number(str name, Tensor[] operands) -> Tensor", number, like_number)


def result_of(tx: Any, function: Any, args: list[Any], kwargs: Any) -> Any:
    """Dynamo's variable of the result of a function; None where Dynamo does better, or the operator cannot stand in."""
    from ..base.torch_names import ConstantVariable

    if function in WHOLE and len(args) == 1 and not kwargs:
        return integer_of(tx, function, args[0].realize())
    if function in EXACT and not kwargs:
        return result_of_sizes(tx, function, [value.realize() for value in args])
    if function in PAIRS and len(args) == 1 and not kwargs:
        return pair(tx, function, args[0].realize())
    name = FUNCTIONS.get(function)
    values = [value.realize() for value in args]
    if name is None or not any(map(decided_by_data if name in KNOWN else is_open, values)):
        return None
    if kwargs and (name != "isclose" or not kwargs.keys() <= {"rel_tol", "abs_tol"} or len(values) != 2):
        return None
    if kwargs:
        defaults = {"rel_tol": 1e-09, "abs_tol": 0.0}
        values += [kwargs.get(option, ConstantVariable.create(value)) for option, value in defaults.items()]
    operands = operands_of(tx, values)
    return None if operands is None else operator_result(tx, name, operands)


def is_open(value: Any) -> bool:
    """Whether Dynamo's variable is a number that data decide, or a symbolic number of the program that is no size."""
    from ..base.torch_names import SymNodeVariable

    if decided_by_data(value):
        return True
    if not isinstance(value, SymNodeVariable) or isinstance(value.sym_num, torch.SymBool):
        return False
    node = value.sym_num.node
    rows = [node.shape_env.var_to_sources.get(symbol, ()) for symbol in node.expr.free_symbols]
    names = [source_name(source) for row in rows for source in row]
    return bool(names) and not any("()[" in name for name in names)  # such as `L['x'].size()[0]`


def result_of_sizes(tx: Any, function: Any, values: list[Any]) -> Any:
    """Dynamo's variable of a function of integers on symbolic sizes, with a graph for each size.

    None without symbolic sizes, or where the function raises.
    """
    from ..base.torch_names import ConstantVariable, SymNodeVariable

    open_sizes = [value for value in values if isinstance(value, SymNodeVariable)]
    if not open_sizes or any(map(decided_by_data, open_sizes)):
        return None
    if not all(value in open_sizes or value.is_python_constant() for value in values):
        return None
    numbers = [
        value.evaluate_expr(tx.output) if value in open_sizes else value.as_python_constant() for value in values
    ]
    try:
        return ConstantVariable.create(function(*numbers))
    except (TypeError, ValueError):
        return None


def integer_of(tx: Any, function: Any, value: Any) -> Any:
    """Dynamo's variable of the integer that a function makes of a float from the data; None for numbers of another
    kind.

    Dynamo would write the integer as a formula of the float, and a trace knows nothing about the value of the formula.
    """
    operands = operands_of(tx, [value]) if is_fraction_of_data(value) else None
    return None if operands is None else operator_result(tx, WHOLE[function], operands)


def pair(tx: Any, function: Any, value: Any) -> Any:
    """Dynamo's variable of the two numbers that a function returns; None for numbers known without the data."""
    from ..base.torch_names import TupleVariable

    operands = operands_of(tx, [value]) if decided_by_data(value) else None
    if operands is None:
        return None
    return TupleVariable([operator_result(tx, name, operands) for name in PAIRS[function]])


def extreme_of(tx: Any, function: Any, values: list[Any]) -> Any:
    """Dynamo's variable of `max` or `min` of floats, one of them from the data; None for other values.

    Dynamo's formula has no order. In Python the result depends on the order for NaN, and for zeros of both signs.
    """
    if len(values) < 2 or not any(map(is_fraction_of_data, values)):
        return None
    operands = operands_of(tx, values) if all(value.python_type() is float for value in values) else None
    return None if operands is None else operator_result(tx, function.__name__, operands)


def is_fraction_of_data(value: Any) -> bool:
    """Whether Dynamo's variable is a float that data decide."""
    return decided_by_data(value) and isinstance(value.realize().sym_num, torch.SymFloat)


def operator_result(tx: Any, name: str, operands: list[Any]) -> Any:
    """Dynamo's variable of the operator's result; `operands` are proxies of tensors."""
    from ..base.torch_names import wrap_fx_proxy

    proxy = tx.output.create_proxy("call_function", OPERATOR, (name, operands), {})
    return wrap_fx_proxy(tx, proxy).call_method(tx, "item", [], {})


def operands_of(tx: Any, values: list[Any]) -> Optional[list[Any]]:
    """The proxies of tensors that hold the numbers; None in an inner graph, and where a value has no such tensor."""
    if tx.output.current_tracer.parent is not None:
        return None
    operands = [operand_of(tx, value) for value in values]
    return None if any(operand is None for operand in operands) else operands


def operand_of(tx: Any, value: Any) -> Optional[Any]:
    """The proxy of a tensor that holds a number; None for objects without a number, or for numbers beyond 64 bits."""
    from ..base.torch_names import SymNodeVariable, VariableTracker

    real = False
    if isinstance(value, SymNodeVariable):
        node = value.as_proxy().node
        if node.target == "item" and node.args[0].target is OPERATOR:
            return torch.fx.Proxy(node.args[0], tx.output.current_tracer)
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
    return VariableTracker.build(tx, torch.scalar_tensor).call_function(tx, [value], options).as_proxy()
