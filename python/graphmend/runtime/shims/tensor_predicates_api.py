"""Questions about tensors and data-dependent numbers, in forms that Dynamo can trace.

    if torch.equal(a, b): ...              # a truth value of the graph, as from `.item()`
    if math.isnan(loss.item()): ...
    worst = max(losses, key=abs)           # the graph follows the order of the call

Dynamo breaks the graph at each of these, or answers differently from Python for NaN and infinity. The hooks replace the
question by operations on tensors, followed by `.item()`.
"""

from __future__ import annotations

import math
import operator
from typing import Any, Optional

import torch
from torch.fx import Node

from ..analysis import branch_proofs
from ..base import hooks, torch_names, trace_state
from ..capture import hoisted_tests
from ..capture.assumptions import fix_shape
from ..capture.implicit_bool import as_tensor, constant, truth_value
from ..ops.math_functions import EXACT, LISTS, extreme_of, result_of
from ..passes.dead_code_that_raises import add_sources
from .sorting import compared_items, extreme, of_objects, of_rows, of_two_kinds, with_items, without_default

FEATURE = hooks.Feature(__name__, hooks.GAIN, "questions about tensors and numbers that data decide")

PREDICATES = {math.isnan: "isnan", math.isinf: "isinf", math.isfinite: "isfinite"}
# Functions of `math` that ask each argument for a float; `trunc` and `ldexp` refuse tensors.
TENSORS_OWN = [function for function in (math.floor, math.ceil) if hasattr(torch.Tensor, f"__{function.__name__}__")]
OTHERS = (*EXACT, *LISTS, *TENSORS_OWN, math.trunc, math.ldexp)
OF_FLOATS = frozenset(function for function in vars(math).values() if callable(function) and function not in OTHERS)
FUNCTIONS = {torch.equal: "equal", torch.allclose: "allclose", torch.is_nonzero: "is_nonzero"}
ARRAYS = {"allclose": "allclose", "array_equal": "equal"}
METHODS = frozenset(["equal", "allclose", "is_nonzero", "__bool__"])
COMPARISONS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
OPERATORS = {getattr(operator, name): name for name in COMPARISONS.values()}
LISTED = (torch.bool, torch.uint8, torch.float64, torch.float32, torch.float16, torch.bfloat16)
MAX_LISTED = 256


@FEATURE.hook("torch_function.call")
def ask_function(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Trace functions of torch, and functions of `math`, which Dynamo treats as functions of torch."""
    if self.value in OF_FLOATS:
        args = [float_of(tx, arg.realize()) for arg in args]
    if self.value in PREDICATES and len(args) == 1 and not kwargs:
        result = number_predicate(tx, PREDICATES[self.value], args[0].realize())
    elif self.value in FUNCTIONS:
        result = tensor_predicate(tx, FUNCTIONS[self.value], list(args), kwargs)
    else:
        result = result_of(tx, self.value, list(args), kwargs)
    return call(self, tx, args, kwargs) if result is None else result


def float_of(tx: Any, value: Any) -> Any:
    """The float that a function of `math` makes of a tensor or an array with one number; other values unchanged."""
    from ..base.torch_names import BuiltinVariable

    fake = value.as_proxy().node.meta["example_value"] if value.is_tensor() else None
    if fake is None or fake.numel() != 1 or fake.dtype.is_complex:
        return value
    return BuiltinVariable(float).call_function(tx, [value], {})


@FEATURE.hook("tensor.method")
def ask_method(call: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Trace methods of tensors."""
    result = tensor_predicate(tx, name, [self, *args], kwargs) if name in METHODS else None
    return hooks.DECLINED if result is None else result


@FEATURE.hook("builtin.call", of=(*OPERATORS, operator.truth, operator.not_, bool, int, round, max, min))
def ask_builtin(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Trace functions of Python."""
    function = self.fn
    if function is max or function is min:
        args = with_items(tx, args)
        if "default" in kwargs and len(args) == 1:
            args, kwargs = without_default(tx, args, kwargs)
        if "key" in kwargs or of_two_kinds(args) or of_rows(args) or of_objects(args):
            result = extreme(tx, function is max, args, kwargs)
            return call(self, tx, args, kwargs) if result is None else result
        result = None if kwargs else extreme_of(tx, function, compared_items(args))
        return call(self, tx, args, kwargs) if result is None else result
    result = None
    if function in OPERATORS and len(args) == 2:
        result = float_comparison(tx, OPERATORS[function], *(side.realize() for side in args))
    elif asks_truth(tx, function) and len(args) == 1 and not kwargs:
        result = tensor_predicate(tx, "is_nonzero", [args[0].realize()], {})
    elif function is operator.not_ and len(args) == 1 and is_floating(args[0].realize()):
        truth = tensor_predicate(tx, "is_nonzero", [args[0].realize()], {})
        return call(self, tx, args if truth is None else [truth], kwargs)
    elif (function is int or function is round) and len(args) == 1 and not kwargs:
        result = result_of(tx, function, [fetched_number(tx, args[0].realize()) if function is int else args[0]], {})
    return hooks.DECLINED if result is None else result


def asks_truth(tx: Any, function: Any) -> bool:
    """Whether a call asks for a truth value that Dynamo cannot fetch; it fetches `bool` outside of inner graphs."""
    return function is operator.truth or (function is bool and hoisted_tests.is_inside(tx.output.current_tracer))


@FEATURE.hook("numpy.call")
def ask_numpy(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Trace functions of NumPy."""
    name = getattr(self.value, "__name__", "")
    if name in PREDICATES.values() and len(args) == 1 and is_real(args[0].realize()):
        number = args[0].realize().as_tensor(tx, torch.float64)
        require_computation(tx, number)
        return call(self, tx, [number.call_method(tx, "numpy", [], {})], kwargs)
    if name in ARRAYS and len(args) > 1:
        result = tensor_predicate(tx, ARRAYS[name], [as_tensor(tx, arg.realize()) for arg in args], kwargs)
        return hooks.DECLINED if result is None else result
    return hooks.DECLINED


@FEATURE.hook("array.method")
def item_of_array(call: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Trace `item()` of arrays; Dynamo's own form never gives a constant."""
    if name == "item" and not args and not kwargs and self.as_proxy().node.meta["example_value"].numel() == 1:
        return as_tensor(tx, self).call_method(tx, "item", [], {})
    return hooks.DECLINED


@FEATURE.method("tolist")
def list_of_tensor(call: Any, trace: trace_state.Trace, self: Any, tx: Any) -> Any:
    """Trace `tolist()` of truth values and floats."""
    numbers = as_tensor(tx, self)
    value = example(numbers)
    if value is None or value.dtype not in LISTED or not fix_shape(trace, value) or value.numel() > MAX_LISTED:
        return call(self, tx)
    require_computation(tx, numbers)
    return nested_lists(tx, numbers, value.dim())


@FEATURE.hook("number.compare", needed=False)
def compare_numbers(call: Any, trace: trace_state.Trace, self: Any, tx: Any, other: Any, op: str) -> Any:
    """Trace comparisons inside containers and functions."""
    result = float_comparison(tx, op.strip("_"), self, other)
    return hooks.DECLINED if result is None else result


@FEATURE.hook("item.compare", needed=False)
def compare_items(compare: Any, trace: trace_state.Trace, tx: Any, first: Any, second: Any, op: str) -> Any:
    """Compare items of containers: an object equals itself, even NaN."""
    if is_real(first) and is_real(second) and first.as_proxy().node is second.as_proxy().node:
        return constant(op == "__eq__")
    return hooks.DECLINED


def fetched_number(tx: Any, value: Any) -> Any:
    """The number in a one-element float tensor; other values unchanged."""
    fake = example(value) if value.is_tensor() else None
    if fake is None or not fake.is_floating_point() or fake.numel() != 1:
        return value
    return value.call_method(tx, "item", [], {})


def nested_lists(tx: Any, value: Any, levels: int) -> Any:
    """The numbers in a tensor, as nested lists with `levels` dimensions."""
    from ..base.torch_names import ListVariable, ValueMutationNew

    if levels == 0:
        return value.call_method(tx, "item", [], {})
    fake = example(value)
    assert fake is not None
    rows = [value.call_method(tx, "__getitem__", [constant(i)], {}) for i in range(fake.shape[0])]
    return ListVariable([nested_lists(tx, row, levels - 1) for row in rows], mutation_type=ValueMutationNew())


@FEATURE.hook("compare")
def compare_sides(compare: Any, trace: trace_state.Trace, sign: str, tx: Any, sides: Any, options: Any) -> Any:
    """Trace comparisons written in the program, of data-dependent floats."""
    result = (
        float_comparison(tx, COMPARISONS[sign], *(side.realize() for side in sides)) if sign in COMPARISONS else None
    )
    return hooks.DECLINED if result is None else result


def is_open_truth(variable: Any) -> bool:
    """Whether Dynamo's variable is a symbolic truth value."""
    return isinstance(getattr(variable, "sym_num", None), torch.SymBool)


def float_comparison(tx: Any, name: str, first: Any, second: Any) -> Any:
    """The comparison of two data-dependent floats: tensors of double precision compare like Python, NaN included.

    Also the comparison of such a float with infinity or NaN, because symbols are never infinite or NaN. A symbolic
    truth value is converted to an integer first: symbols of the two kinds are never equal.
    """
    if is_open_truth(first) or is_open_truth(second):
        from ..base.torch_names import VariableTracker

        int_class = VariableTracker.build(tx, int)
        sides = [int_class.call_function(tx, [side], {}) if is_open_truth(side) else side for side in (first, second)]
        return VariableTracker.build(tx, getattr(operator, name)).call_function(tx, sides, {})
    if not (is_real(first) or is_real(second)):
        return None
    sides = [double_of(tx, side) for side in (first, second)]
    if None in sides:
        return None
    return sides[0].call_method(tx, name, [sides[1]], {}).call_method(tx, "item", [], {})


def double_of(tx: Any, side: Any) -> Any:
    """The tensor for a float that symbols compare differently from Python; None for other values."""
    from ..base.torch_names import VariableTracker

    if is_real(side):
        return side.as_tensor(tx, torch.float64)
    number = side.as_python_constant() if side.is_python_constant() else None
    if type(number) is not float or math.isfinite(number):
        return None
    dtype = VariableTracker.build(tx, torch.float64)
    return VariableTracker.build(tx, torch.scalar_tensor).call_function(tx, [constant(number)], {"dtype": dtype})


def is_real(variable: Any) -> bool:
    """Whether Dynamo's variable is a float that exists only when the graph runs."""
    if not isinstance(variable, torch_names.SymNodeVariable) or not isinstance(variable.sym_num, torch.SymFloat):
        return False
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

    return bool(free_unbacked_symbols(variable.sym_num))


def number_predicate(tx: Any, name: str, value: Any) -> Any:
    """The answer of a function about a float, as a truth value of the graph; None for other arguments."""
    if is_real(value):
        number = value.as_tensor(tx, torch.float64)
    else:
        fake = example(value)
        if fake is None or not fake.is_floating_point() or fake.layout != torch.strided or fake.numel() != 1:
            return None
        number = value.call_method(tx, "detach", [], {}).call_method(tx, "reshape", [constant(())], {})
    return number.call_method(tx, name, [], {}).call_method(tx, "item", [], {})


def is_floating(variable: Any) -> bool:
    """Whether a variable is a tensor of floats; Dynamo cannot tell whether the number in such a tensor is zero."""
    fake = example(variable)
    return fake is not None and fake.is_floating_point()


def example(variable: Any) -> Optional[torch.Tensor]:
    """The fake tensor behind Dynamo's variable."""
    from ..base.torch_names import TensorVariable

    if type(variable) is not TensorVariable:
        return None
    value = variable.as_proxy().node.meta.get("example_value")
    return value if isinstance(value, torch.Tensor) else None


def tensor_predicate(tx: Any, name: str, args: list[Any], kwargs: Any) -> Any:
    """The answer of a function about tensors, as a truth value of the graph; None where the function may raise."""
    if name in ("is_nonzero", "__bool__"):
        value = example(args[0]) if len(args) == 1 and not kwargs else None
        if value is None or value.numel() != 1 or value.layout != torch.strided or value.is_complex():
            return None
        test = args[0].call_method(tx, "detach", [], {}).call_method(tx, "reshape", [constant(())], {})
        test = test if value.dtype == torch.bool else test.call_method(tx, "ne", [constant(0)], {})
        return truth_value(tx, test)
    first, second = (example(item.realize()) for item in args[:2]) if len(args) > 1 else (None, None)
    if first is None or second is None or first.dtype != second.dtype or first.device != second.device:
        return None
    if first.layout != torch.strided or second.layout != torch.strided:
        return None
    if not (all_known(first, second) or (name == "equal" and all_guarded(first, second))):
        return None
    left, right = (item.realize().call_method(tx, "detach", [], {}) for item in args[:2])
    require_computation(tx, left)
    require_computation(tx, right)
    if name == "equal":
        if len(args) > 2 or kwargs:
            return None
        if first.shape != second.shape:
            return constant(False)
        same = left.call_method(tx, "eq", [right], {})
    else:
        same = left.call_method(tx, "isclose", [right, *args[2:]], dict(kwargs))
    return truth_value(tx, same.call_method(tx, "all", [], {}))


def require_computation(tx: Any, value: Any) -> None:
    """Make the graph fail where the computation of a tensor fails in Python, even if no output needs the tensor.

    The added test counts as a fetched number (`dead_code_that_raises.py`).
    """
    sources: set[Node] = set()
    add_sources(sources, [value.as_proxy().node])
    if any(map(branch_proofs.fails, sources)):
        value.call_method(tx, "any", [], {})


def all_guarded(*values: torch.Tensor) -> bool:
    """Whether all sizes of tensors come from inputs of the call, so that a comparison of sizes guards the graph."""
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

    return not any(map(free_unbacked_symbols, values))


def all_known(*values: torch.Tensor) -> bool:
    """Whether all sizes of tensors are constant."""
    return all(type(size) is int for value in values for size in value.shape)
