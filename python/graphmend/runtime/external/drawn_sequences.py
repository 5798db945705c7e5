"""Sequences from which an external call draws places, as the trace knows them.

    random.choice([10, 20, 30])      # a row: the drawn item is 10 + 10 * place
    random.choice([0.1, 0.5, 2.0])   # a table of floats: the drawn item is table[place]
    random.choice(self.layers)       # other items: one path for each place

`external_calls.draw_places` asks here during the trace. Arguments such as `"items"` are names of variables in the
traced frame.
"""

from __future__ import annotations

import collections
from typing import Any

import torch

from ..base.dynamo_values import as_constant, constant, real, translator


def variable_of(name: str) -> Any:
    """Dynamo's variable for a name in the calling frame."""
    variable = translator().output.current_tx.symbolic_locals[name]
    return variable.realize()


@constant
def kind_of_order(name: str) -> str:
    """The name of the method that draws places."""
    return str(real(variable_of(name)).__name__)


@constant
def has_places(name: str, order: str) -> bool:
    """Whether a variable of the calling frame is a sequence with items found by number alone; `order` has the name of
    the variable with the method that draws.
    """
    kind = variable_of(name).python_type()
    plain = (list, tuple, str, range, torch.nn.ModuleList, torch.nn.Sequential)
    return kind in plain or (kind is collections.deque and real(variable_of(order)).__name__ != "shuffle")


@constant
def are_floats(name: str) -> bool:
    """Whether a variable of the calling frame is a list or tuple of constant floats."""
    try:
        numbers = as_constant(variable_of(name))
    except Exception:  # no constants
        return False
    return type(numbers) in (list, tuple) and len(numbers) > 1 and all(type(number) is float for number in numbers)


@constant
def first_of(name: str) -> int:
    """The first number of the row in a variable of the calling frame."""
    return row_of(variable_of(name))[0]


@constant
def step_of(name: str) -> int:
    """The distance between numbers of the row in a variable of the calling frame; 0 for other sequences."""
    return row_of(variable_of(name))[1]


def row_of(variable: Any) -> tuple[int, int]:
    """The first number and the step of evenly spaced integers; (0, 0) for other values."""
    from ..base.torch_names import RangeVariable

    try:
        if type(variable) is RangeVariable:
            return variable.start(), variable.step()
        numbers = as_constant(variable)
    except Exception:  # no constants
        return 0, 0
    if type(numbers) not in (list, tuple) or len(numbers) < 2 or any(type(number) is not int for number in numbers):
        return 0, 0
    step = numbers[1] - numbers[0]
    return (numbers[0], step) if list(numbers) == [numbers[0] + i * step for i in range(len(numbers))] else (0, 0)
