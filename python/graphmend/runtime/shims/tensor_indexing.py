"""Items at data-dependent places: `x[i]`, `x[0, i]` and `x[[i, j]]`; and parts of several dimensions.

    i = scores.argmax()                 # a 0-d tensor, or a number with `.item()`
    table[i]                            # Dynamo would need the value of `i`: one path for each place
    image[:, top:bottom, left:right]    # torch loses a symbol of the first slice
    images[order, :, top:bottom]        # and each symbol where a tensor is among the indices

`select` takes the symbolic number, and returns the same view as the index. A list of numbers becomes one tensor. Slices
from data-dependent places on are taken one after the other, and in front of tensors, as torch does.
"""

from __future__ import annotations

import operator
from typing import Any, Optional

import torch

from ..base import hooks, trace_state
from ..base.dynamo_values import is_constant
from ..capture.assumptions import note_numbers, numbers_of
from ..capture.identity_guard import decided_by_data

FEATURE = hooks.Feature(__name__, hooks.GAIN, "items at places that data decide")

# Dtypes of places; tensors of other dtypes are masks.
NUMBERS = (torch.int64, torch.int32, torch.int16, torch.int8)


@FEATURE.hook("builtin.call", of=(operator.getitem,))
def select_item(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Select an item whose place is a number of the graph."""
    if not is_plain(value := args[0].realize()):
        return hooks.DECLINED
    split = split_key(args[1].realize())
    if split is not None:
        sliced = self.call_function(tx, [value, split[0]], {})
        return call(self, tx, [sliced, split[1]], {})
    if not numbers_of(trace).fixed:
        args = [value, with_tensors(tx, args[1].realize())]
        parts = parts_of(args[1].realize())
        if parts is not None and (any(map(is_place, parts)) or sum(map(is_open_slice, parts)) > 1):
            dimensions = dimensions_of(parts, value.as_proxy().node.meta["example_value"].dim())
            if dimensions is not None:
                note_numbers(trace)  # compilers may not be trusted with them
                return select_places(tx, value, parts, dimensions)
    return call(self, tx, args, kwargs)


def split_key(key: Any) -> Optional[tuple[Any, Any]]:
    """An index with tensors and open slices as two: the slices, then the tensors; None for other indices."""
    from ..base.torch_names import ConstantVariable, SliceVariable, TupleVariable

    parts = [item.realize() for item in key.items] if type(key) is TupleVariable else []
    tensors = [is_index_tensor(part) for part in parts]
    if not any(tensors) or not any(map(is_open_slice, parts)):
        return None
    kept = [isinstance(part, SliceVariable) or is_constant(part, ...) for part in parts]
    if not all(tensor or keeps for tensor, keeps in zip(tensors, kept)):
        return None
    whole = SliceVariable([ConstantVariable.create(None)])
    slices = [whole if tensor else part for tensor, part in zip(tensors, parts)]
    selections = [whole if isinstance(part, SliceVariable) else part for part in parts]
    return TupleVariable(slices), TupleVariable(selections)


def is_index_tensor(part: Any) -> bool:
    """Whether a part of an index is a tensor of places, with a dimension and no mask."""
    value = part.as_proxy().node.meta["example_value"] if is_plain(part) else None
    return value is not None and value.dim() > 0 and value.dtype in NUMBERS


def with_tensors(tx: Any, key: Any) -> Any:
    """An index with tensors in place of lists of data-dependent numbers."""
    from ..base.torch_names import TupleVariable, VariableTracker

    if type(key) is TupleVariable and any(is_list_of_places(part.realize()) for part in key.items):
        return TupleVariable([with_tensors(tx, part.realize()) for part in key.items])
    if not is_list_of_places(key):
        return key
    return VariableTracker.build(tx, torch.tensor).call_function(tx, [key], {})


def is_list_of_places(key: Any) -> bool:
    """Whether an index is a list of integers, some of them data-dependent; a tensor of the integers selects the same
    items.
    """
    from ..base.torch_names import ListVariable

    items = [item.realize() for item in key.items] if type(key) is ListVariable else []
    places = [is_place(item) and not item.is_tensor() for item in items]
    return any(places) and all(place or is_integer(item) for place, item in zip(places, items))


def parts_of(key: Any) -> Optional[list[Any]]:
    """The parts of an index, as Dynamo's variables; None for an index with more than places, slices and `None`."""
    from ..base.torch_names import SliceVariable, SymNodeVariable, TupleVariable

    parts = [item.realize() for item in key.items] if type(key) is TupleVariable else [key]
    for part in parts:
        if isinstance(part, (SliceVariable, SymNodeVariable)) or is_place(part):
            continue
        if not (part.is_python_constant() and type(part.as_python_constant()) in (int, type(None), type(...))):
            return None
    return parts


def is_plain(variable: Any) -> bool:
    """Whether Dynamo's variable is a strided tensor without a class of its own."""
    from ..base.torch_names import TensorVariable

    is_tensor = type(variable) is TensorVariable and variable.python_type() in (torch.Tensor, torch.nn.Parameter)
    return is_tensor and variable.as_proxy().node.meta["example_value"].layout == torch.strided


def is_place(part: Any) -> bool:
    """Whether a part of an index is one data-dependent place: a 0-d tensor, a 0-d array, or a number."""
    from ..base.torch_names import NumpyNdarrayVariable

    if is_plain(part) or type(part) is NumpyNdarrayVariable:
        value = part.as_proxy().node.meta["example_value"]
        return value.dim() == 0 and value.dtype in NUMBERS
    return decided_by_data(part) and isinstance(part.sym_num, torch.SymInt)


def is_open_slice(part: Any) -> bool:
    """Whether a part of an index is a slice from a data-dependent place on."""
    from ..base.torch_names import SliceVariable

    return isinstance(part, SliceVariable) and is_place(part.items[0].realize())


def dimensions_of(keys: list[Any], rank: int) -> Optional[list[int]]:
    """The number of result dimensions in front of each part of an index; None if there are too many parts.

    `rank` is the number of dimensions of the tensor. Places and integers add no dimension.
    """
    taken = sum(not is_constant(part, None) and not is_constant(part, ...) for part in keys)
    if taken > rank or sum(is_constant(part, ...) for part in keys) > 1:
        return None
    dimensions, position = [], 0
    for part in keys:
        dimensions.append(position)
        if is_constant(part, ...):
            position += rank - taken
        elif not is_place(part) and not is_integer(part):
            position += 1
    return dimensions


def is_integer(part: Any) -> bool:
    """Whether a part of an index is an integer that data do not decide."""
    from ..base.torch_names import SymNodeVariable

    is_constant_integer = part.is_python_constant() and type(part.as_python_constant()) is int
    return is_constant_integer or isinstance(part, SymNodeVariable)


def select_places(tx: Any, value: Any, keys: list[Any], dimensions: list[int]) -> Any:
    """The result of the index: constant parts first, then each open slice, and `select` for each place."""
    from ..base.torch_names import ConstantVariable, TupleVariable, VariableTracker

    rank = value.as_proxy().node.meta["example_value"].dim()
    # Asked once: an operator on the way may make constants of the numbers.
    places, opens = [is_place(part) for part in keys], [is_open_slice(part) for part in keys]
    whole = VariableTracker.build(tx, slice).call_function(tx, [ConstantVariable.create(None)], {})
    rest = [whole if place or is_open else part for part, place, is_open in zip(keys, places, opens)]
    before_places = dimensions_of(rest, rank) or []  # where the places are still dimensions
    if any(not is_constant(part, None) and part is not whole for part in rest) or len(rest) > 1:
        value = value.call_method(tx, "__getitem__", [TupleVariable(rest)], {})
    for part, dimension, is_open in zip(keys, before_places, opens):
        if is_open:
            value = value.call_method(tx, "__getitem__", [TupleVariable([whole] * dimension + [part])], {})
    for part, dimension, place in zip(keys, dimensions, places):
        if place:
            number = part.call_method(tx, "item", [], {}) if part.is_tensor() else part
            value = value.call_method(tx, "select", [VariableTracker.build(tx, dimension), number], {})
    return value
