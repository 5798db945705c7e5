"""Items at places that data decide: `x[i]`, `x[0, i]`, where `i` is a tensor without dimensions or a number from one,
and `x[[i, j]]` of such numbers.

Dynamo has to know such a tensor, and in a tuple such a number, too: each number would be another path. `select` takes
it as it is, and gives the view that the index gives.
"""

from __future__ import annotations

import operator
from typing import Any, Optional

import torch

from ..base import hooks, trace_state
from ..capture.assumptions import note_numbers, numbers_of
from ..capture.identity_guard import decided_by_data

FEATURE = hooks.Feature(__name__, hooks.GAIN, "items at places that data decide")

# Those of another type are masks.
NUMBERS = (torch.int64, torch.int32, torch.int16, torch.int8)


@FEATURE.hook("builtin.call")
def select_item(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Select an item whose place is a number of the graph."""
    if self.fn is operator.getitem and not numbers_of(trace).fixed and is_plain(value := args[0].realize()):
        args = [value, with_tensors(tx, args[1].realize())]
        parts = parts_of(args[1].realize())
        if parts is not None and any(is_place(part) for part in parts):
            dimensions = dimensions_of(parts, value.as_proxy().node.meta["example_value"].dim())
            if dimensions is not None:
                note_numbers(trace)  # compilers may not be trusted with them
                return selected(tx, value, parts, dimensions)
    return call(self, tx, args, kwargs)


def with_tensors(tx: Any, key: Any) -> Any:
    """An index with tensors in place of lists of numbers that data decide."""
    from ..base.torch_names import TupleVariable, VariableTracker

    if type(key) is TupleVariable and any(is_list_of_places(part.realize()) for part in key.items):
        return TupleVariable([with_tensors(tx, part.realize()) for part in key.items])
    if not is_list_of_places(key):
        return key
    return VariableTracker.build(tx, torch.tensor).call_function(tx, [key], {})


def is_list_of_places(key: Any) -> bool:
    """Whether an index is a list of integers, of which data decide some: one tensor of them gives the same items."""
    from ..base.torch_names import ListVariable

    items = [item.realize() for item in key.items] if type(key) is ListVariable else []
    places = [is_place(item) and not item.is_tensor() for item in items]
    return any(places) and all(place or is_integer(item) for place, item in zip(places, items))


def parts_of(key: Any) -> Optional[list[Any]]:
    """Dynamo's variables of what an index consists of; None if there is more in it than places, slices and `None`."""
    from ..base.torch_names import SliceVariable, SymNodeVariable, TupleVariable

    parts = [item.realize() for item in key.items] if type(key) is TupleVariable else [key]
    for part in parts:
        if isinstance(part, (SliceVariable, SymNodeVariable)) or is_place(part):
            continue
        if not (part.is_python_constant() and type(part.as_python_constant()) in (int, type(None), type(...))):
            return None
    return parts


def is_plain(variable: Any) -> bool:
    """Whether Dynamo's variable is a tensor that has no class of its own, and is not sparse."""
    from ..base.torch_names import TensorVariable

    plain = type(variable) is TensorVariable and variable.python_type() in (torch.Tensor, torch.nn.Parameter)
    return plain and variable.as_proxy().node.meta["example_value"].layout == torch.strided


def is_place(part: Any) -> bool:
    """Whether a part of an index is one place, which data decide: in a tensor, in an array, or a number."""
    from ..base.torch_names import NumpyNdarrayVariable

    if is_plain(part) or type(part) is NumpyNdarrayVariable:
        value = part.as_proxy().node.meta["example_value"]
        return value.dim() == 0 and value.dtype in NUMBERS
    return decided_by_data(part) and isinstance(part.sym_num, torch.SymInt)


def dimensions_of(keys: list[Any], known: int) -> Optional[list[int]]:
    """For each part of an index how many dimensions those in front of it give; None if there are too many parts.

    `known` is how many the tensor has. A place gives none, and neither does an integer.
    """
    taken = sum(not is_constant(part, None) and not is_constant(part, ...) for part in keys)
    if taken > known or sum(is_constant(part, ...) for part in keys) > 1:
        return None
    found, position = [], 0
    for part in keys:
        found.append(position)
        if is_constant(part, ...):
            position += known - taken
        elif not is_place(part) and not is_integer(part):
            position += 1
    return found


def is_constant(part: Any, value: Any) -> bool:
    """Whether a part of an index is `None` or `...`."""
    return part.is_python_constant() and part.as_python_constant() is value


def is_integer(part: Any) -> bool:
    """Whether a part of an index is an integer that data do not decide."""
    from ..base.torch_names import SymNodeVariable

    known = part.is_python_constant() and type(part.as_python_constant()) is int
    return known or isinstance(part, SymNodeVariable)


def selected(tx: Any, value: Any, keys: list[Any], dimensions: list[int]) -> Any:
    """Index with everything that data do not decide, then select the places."""
    from ..base.torch_names import TupleVariable, VariableTracker

    whole = VariableTracker.build(tx, slice(None))
    rest = [whole if is_place(part) else part for part in keys]
    if any(not is_constant(part, None) and part is not whole for part in rest) or len(rest) > 1:
        value = value.call_method(tx, "__getitem__", [TupleVariable(rest)], {})
    for part, dimension in zip(keys, dimensions):
        if is_place(part):
            number = part.call_method(tx, "item", [], {}) if part.is_tensor() else part
            value = value.call_method(tx, "select", [VariableTracker.build(tx, dimension), number], {})
    return value
