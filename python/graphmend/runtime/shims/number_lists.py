"""Lists of floating point numbers that data decide, as arguments of `torch.tensor` and of NumPy.

    losses = [loss.item() for loss in parts]
    torch.tensor(losses).mean()                # Dynamo asks for the value of each number
    np.mean(losses)                            # and here for an array of them

The trace stacks the numbers, each in a 0-d tensor of double precision, and hands on the tensor or its array.
"""

from __future__ import annotations

import sys
from typing import Any, Optional

import torch

from ..base import hooks, trace_state
from ..base.dynamo_values import inline
from ..capture.identity_guard import decided_by_data

FEATURE = hooks.Feature(__name__, hooks.GAIN, "lists of numbers that data decide")

MAKERS = (torch.tensor, torch.as_tensor, torch.asarray)
OPTIONS = frozenset({"dtype", "device"})
NUMBERS = (bool, int, float)
# Functions of NumPy whose first argument is an array; that of `numpy.zeros` is a shape.
OF_NUMBERS = frozenset(
    """
    argmax argmin argsort array asarray clip cumprod cumsum diff max mean median min percentile prod ptp quantile sort
    std sum unique var
    """.split()
)


def stacked(values: Any, dtype: Any, device: Any) -> torch.Tensor:
    """The tensor of a list of numbers, or of a list of such lists."""
    parts = [
        stacked(value, dtype, device)
        if isinstance(value, (list, tuple))
        else torch.scalar_tensor(value, dtype=dtype, device=device)
        for value in values
    ]
    return torch.stack(parts)


@FEATURE.hook("torch_function.call")
def make_tensor(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Stack the numbers in a tensor of the dtype that the program or torch chooses."""
    if self.value not in MAKERS or len(args) != 1 or not kwargs.keys() <= OPTIONS or not is_open_list(args[0]):
        return hooks.DECLINED
    given = {name: value.realize() for name, value in kwargs.items()}
    if not all(value.is_python_constant() for value in given.values()):
        return hooks.DECLINED
    options = {name: value.as_python_constant() for name, value in given.items()}
    dtype, device = options.get("dtype"), options.get("device")
    dtype = torch.get_default_dtype() if dtype is None else dtype
    return stack(tx, args[0], dtype, device) if dtype.is_floating_point else hooks.DECLINED


@FEATURE.hook("tensor.method")
def make_like(method: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Stack the numbers for `new_tensor`, in the dtype and on the device of the tensor."""
    if name != "new_tensor" or len(args) != 1 or kwargs or not is_open_list(args[0]):
        return hooks.DECLINED
    value = self.as_proxy().node.meta["example_value"]
    return stack(tx, args[0], value.dtype, value.device) if value.is_floating_point() else hooks.DECLINED


@FEATURE.hook("numpy.call")
def pass_array(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Hand an array to a function of NumPy, which would make one of the list itself."""
    values = [*args, *kwargs.values()]
    are_open = [
        is_open_list(value, (int, float) if takes_numbers(self.value, place) else (float,))
        for place, value in enumerate(values)
    ]
    if not any(are_open) or not takes_arrays(self.value, kwargs):
        return hooks.DECLINED
    arrays = [array_of(tx, value) if is_open else value for value, is_open in zip(values, are_open)]
    return self.call_function(tx, arrays[: len(args)], dict(zip(kwargs, arrays[len(args) :])))


def takes_numbers(function: Any, place: int) -> bool:
    """Whether integers in an argument are numbers to compute with, and no sizes, places or axes."""
    numpy = sys.modules["numpy"]
    if isinstance(function, numpy.ufunc):
        return True
    return place == 0 and any(getattr(numpy, name) is function for name in OF_NUMBERS)


def takes_arrays(function: Any, kwargs: Any) -> bool:
    """Whether a function of NumPy makes no difference between a list of numbers and the array of the list."""
    module = str(getattr(function, "__module__", None) or "numpy")
    is_class = isinstance(function, type) or module.startswith("numpy.random")
    return not is_class and ("dtype" not in kwargs or is_numeric(kwargs["dtype"]))


def is_numeric(variable: Any) -> bool:
    """Whether Dynamo's variable stands for a dtype of numbers."""
    try:
        return sys.modules["numpy"].dtype(variable.realize().as_python_constant()).kind in "biuf"
    except Exception:  # Dynamo does not know the dtype, or NumPy does not
        return False


def is_open_list(variable: Any, kinds: tuple[type, ...] = (float,)) -> bool:
    """Whether Dynamo's variable is a list of numbers, one of them of these types and decided by data."""
    numbers = numbers_in(variable) or ()
    return any(number.python_type() in kinds and decided_by_data(number) for number in numbers)


def numbers_in(variable: Any) -> Optional[list[Any]]:
    """The numbers in Dynamo's variable of a list, or of a list of lists; None where other objects are among them."""
    from ..base.torch_names import ListVariable, TupleVariable

    if type(variable) not in (ListVariable, TupleVariable):
        return None
    found: list[Any] = []
    for item in variable.items:
        inner = [item] if is_number(item) else numbers_in(item)
        if not inner:
            return None
        found += inner
    return found


def is_number(variable: Any) -> bool:
    """Whether Dynamo's variable is a number, known or not."""
    from ..base.torch_names import SymNodeVariable

    variable = variable.realize()
    return isinstance(variable, SymNodeVariable) or (
        variable.is_python_constant() and variable.python_type() in NUMBERS
    )


def stack(tx: Any, row: Any, dtype: torch.dtype, device: Any) -> Any:
    """Dynamo's variable of the tensor of a list."""
    from ..base.torch_names import VariableTracker

    return inline(tx, stacked, [row, VariableTracker.build(tx, dtype), VariableTracker.build(tx, device)], {})


def array_of(tx: Any, row: Any) -> Any:
    """Dynamo's variable of the array of a list."""
    is_float = any(number.python_type() is float for number in numbers_in(row) or ())
    return stack(tx, row, torch.float64 if is_float else torch.int64, None).call_method(tx, "numpy", [], {})
