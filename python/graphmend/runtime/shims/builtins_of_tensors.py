"""What Dynamo gives up at, or does otherwise than Python, and a trace of a whole call can have done right.

`itertools.groupby` with a key function as its second argument, `range`, `max` and `min` of tensors, lists of many
numbers from a tensor, inner functions that give a variable of the outer one its first value.
"""

from __future__ import annotations

import itertools
from typing import Any, Callable, Iterator, Optional

import torch

from ..base import hooks, trace_state
from ..base.dynamo_values import inline
from ..base.torch_names import is_non_overlapping_and_dense_or_false
from ..capture.assumptions import fix, fix_all, fix_shape, note_list, note_numbers, numbers_of
from ..capture.path_speculation import path_of
from ..capture.tensor_predicates import INTEGRAL

FEATURE = hooks.Feature(__name__, hooks.GAIN, "functions of Python that are given tensors", state=set)

Function = Callable[..., Any]
MANY = 32  # numbers in a list that are worth one test for all of them


@FEATURE.hook("inner_function.make")
def make_inner_function(make: Any, trace: trace_state.Trace, self: Any, *args: Any) -> Any:
    """Inner functions that give a variable of the outer one its first value."""
    if any(not is_filled(cell) for cell in (self.closure.items if self.closure else ())):
        raise NotImplementedError  # Dynamo knows what to do where there is no such function object
    return make(self, *args)


@FEATURE.hook("tensor.method")
def copy_deeply(call: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Deep copies of tensors."""
    if name == "__deepcopy__" and len(args) == 1 and is_copied_whole(trace, tx, self, args[0].realize()):
        return call(self, tx, "clone", [], {})
    return call(self, tx, name, args, kwargs)


@FEATURE.hook("itertools.call")
def call_itertools(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """`itertools.groupby` with a key function as its second argument."""
    return inline(tx, groupby, args, kwargs) if self.value is itertools.groupby else call(self, tx, args, kwargs)


@FEATURE.hook("builtin.call")
def call_builtin(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """`range`, `max` and `min` of tensors."""
    if self.fn is range:
        args = [counted(tx, arg.realize()) for arg in args]
    if self.fn in EXTREME and len(args) > 1 and not kwargs and any(arg.realize().is_tensor() for arg in args):
        return inline(tx, EXTREME[self.fn], args, kwargs)
    return call(self, tx, args, kwargs)


@FEATURE.method("tolist")
def list_numbers(to_list: Any, trace: trace_state.Trace, self: Any, tx: Any) -> Any:
    """Lists of many numbers from a tensor."""
    from ..base.torch_names import VariableTracker

    example = self.as_proxy().node.meta["example_value"]
    if example.dtype in INTEGRAL and (numbers_of(trace).fixed or example.numel() > MANY):
        note_numbers(trace)
        if not numbers_of(trace).fixed:
            fix_all(trace)
        numbers = all_numbers(trace, tx, self)
        if numbers is None:
            raise trace_state.SiteRefused("a list of many numbers that data decide")
        return VariableTracker.build(tx, numbers)
    return to_list(self, tx)


# ---- What takes the place of Dynamo's functions, by what it is that they get ----


# ---- How it is done ----


def is_filled(cell: Any) -> bool:
    """Whether a variable that functions share has a value by now; a list comprehension may give it the first."""
    from ..base.torch_names import InstructionTranslator

    effects = InstructionTranslator.current_tx().output.side_effects
    return bool(effects.has_pending_mutation_of_attr(cell, "cell_contents") or cell.pre_existing_contents)


def is_copied_whole(trace: trace_state.Trace, tx: Any, variable: Any, memo: Any) -> bool:
    """Whether a deep copy of a tensor is a clone: it has all of its memory, no gradient, and nothing attached to it.

    Python copies the memory, once for all tensors of what is copied, and gives the copy the strides of the tensor.
    `memo` is empty where no more than a tensor is copied.
    """
    from torch.fx.experimental.symbolic_shapes import statically_known_true

    value = variable.as_proxy().node.meta["example_value"]
    if variable.python_type() is not torch.Tensor or value.layout != torch.strided or value.requires_grad:
        return False
    if not value.is_leaf or value.is_quantized or value.is_conj() or value.is_neg():
        return False
    size = value.numel() * value.element_size()
    whole = statically_known_true(value.storage_offset() == 0) and is_non_overlapping_and_dense_or_false(value)
    if not whole or not statically_known_true(value.untyped_storage().nbytes() == size):
        return False
    storage = value.untyped_storage()._cdata
    copied: set[int] = FEATURE.of(trace)  # memory of tensors that the call copied
    if tx.output.side_effects.has_pending_mutation(variable) or (memo.items != {} and storage in copied):
        return False
    copied.add(storage)
    if variable.source is None:
        return True
    real = tx.output.resolve_source_value(variable.source)
    own = any(not name.startswith("_dynamo_") for name in real.__dict__)
    return real.grad is None and not own and not real._backward_hooks


def counted(tx: Any, value: Any) -> Any:
    """The number in a tensor that `range` was given; any other argument as it is."""
    example = value.as_proxy().node.meta["example_value"] if value.is_tensor() else None
    if example is None or example.dtype not in INTEGRAL or example.dtype == torch.bool or example.numel() != 1:
        return value
    return value.call_method(tx, "item", [], {})


def all_numbers(trace: trace_state.Trace, tx: Any, value: Any) -> Optional[Any]:
    """What `tolist` gives in this call, tested in the graph by one comparison; None if it cannot be had."""
    from ..base.torch_names import ConstantVariable, wrap_fx_proxy

    node = value.as_proxy().node
    found = path_of(trace, tx.output).tensor(node) if tx.output.current_tracer.parent is None else None
    if found is None or not fix_shape(trace, node.meta["example_value"]):
        return None
    numbers = found.tolist()
    example = node.meta["example_value"]
    options = {"dtype": example.dtype, "device": example.device}
    proxy = tx.output.create_proxy("call_function", torch.tensor, (numbers,), options)
    same = wrap_fx_proxy(tx, proxy).call_method(tx, "eq", [value], {}).call_method(tx, "all", [], {})
    holds = same.call_method(tx, "item", [], {})
    if not (isinstance(holds, ConstantVariable) or fix(trace, holds.sym_num)):
        return None
    note_list(trace, numbers, found.numel())
    return numbers


def greatest(found: Any, *others: Any) -> Any:
    """`max` of several values, as Python finds it: the first that no other is greater than."""
    for other in others:
        if other > found:
            found = other
    return found


def least(found: Any, *others: Any) -> Any:
    """`min` of several values, as Python finds it."""
    for other in others:
        if other < found:
            found = other
    return found


EXTREME = {max: greatest, min: least}


def groupby(iterable: Any, key: Optional[Callable[[Any], Any]] = None) -> Iterator[tuple[Any, Any]]:
    """`itertools.groupby`: a group ends when the next one is asked for."""
    items = iter(iterable)
    coming: list[Any] = []  # the item that comes next and its key; empty if it has not been asked for
    turn = [0]

    def look() -> None:
        for item in items:
            coming.append(item)
            coming.append(item if key is None else key(item))
            return

    def members(number: int, wanted: Any) -> Iterator[Any]:
        while turn[0] == number:
            if not coming:
                look()
            if not coming or not coming[1] == wanted:
                return
            item = coming[0]
            coming.clear()
            yield item

    wanted = None
    while True:
        while True:
            if not coming:
                look()
            if not coming:
                return
            if turn[0] == 0 or not coming[1] == wanted:
                break
            coming.clear()
        turn[0] += 1
        wanted = coming[1]
        yield wanted, members(turn[0], wanted)
