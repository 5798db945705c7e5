"""Python's functions on tensors where Dynamo gives up, or differs from Python.

    for step in range(lengths.max()): ...                  # `range` of a tensor
    best = max(first_loss, second_loss)                    # `max` and `min` of tensors
    ids = batch.tolist()                                   # many numbers in one list
    groups = itertools.groupby(items, key_function)        # a key by position
    pairs = itertools.combinations(fields, x.shape[1])      # the number may differ in each call
    kept = copy.deepcopy(state)                            # deep copies of tensors
    square = pow(loss, 2)                                  # `pow` of tensors
    if x.is_floating_point: ...                            # a method that is not called

Each hook replaces one such call by code that Dynamo traces. Numbers from tensors become numbers of the graph. Long
lists of numbers are assumed as a whole, with one comparison in the graph.
"""

from __future__ import annotations

import inspect
import itertools
import operator
import types
from typing import Any, Callable, Iterator, Optional

import torch

from ..base import hooks, trace_state
from ..base.dynamo_values import inline
from ..base.torch_names import is_non_overlapping_and_dense_or_false
from ..capture.assumptions import fix, fix_all, fix_shape, note_list, note_numbers, numbers_of
from ..capture.path_speculation import path_of
from ..capture.tensor_predicates import INTEGRAL

FEATURE: hooks.Feature[set[int]] = hooks.Feature(
    __name__, hooks.GAIN, "functions of Python that are given tensors", state=set
)

Function = Callable[..., Any]
MANY = 32  # from this length on, one test for the whole list is cheaper than a symbol for each number


@FEATURE.hook("inner_function.make")
def make_inner_function(make: Any, trace: trace_state.Trace, self: Any, *args: Any) -> Any:
    """Refuse a function object for an inner function that assigns a variable of the outer function for the
    first time.
    """
    if any(not is_filled(cell) for cell in (self.closure.items if self.closure else ())):
        raise NotImplementedError  # Dynamo handles an inner function without a function object
    return hooks.DECLINED


@FEATURE.hook("tensor.method")
def copy_deeply(call: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Trace deep copies of tensors as clones."""
    if name == "__deepcopy__" and len(args) == 1 and is_copied_whole(trace, tx, self, args[0].realize()):
        return call(self, tx, "clone", [], {})
    return hooks.DECLINED


@FEATURE.hook("tensor.getattr")
def read_method(read: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Tell the type of a method of a tensor, which says whether it is true."""
    from ..base.torch_names import GetAttrVariable

    try:
        value = read(self, tx, name)
    except NotImplementedError:  # perhaps a method of a tensor that the call has made
        if not is_method(self, name):
            raise
        return GetAttrVariable(self, name, py_type=types.BuiltinMethodType)
    if type(value) is GetAttrVariable and value.py_type is None and is_method(self, name):
        value.py_type = types.BuiltinMethodType
    return value


def is_method(tensor: Any, name: str) -> bool:
    """Whether a name is that of a method of a tensor's class, in C."""
    return isinstance(inspect.getattr_static(tensor.python_type(), name, None), types.MethodDescriptorType)


@FEATURE.hook("itertools.call")
def call_itertools(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Trace `itertools.groupby` with a key by position, and selections of as many items as a shape says."""
    if self.value is itertools.groupby:
        return inline(tx, groupby, args, kwargs)
    if self.value in SELECTIONS and len(args) == 2 and not kwargs:
        length = fixed_number(args[1].realize())
        if self.value is itertools.combinations_with_replacement and length.is_python_constant():
            return repeated_combinations(tx, args[0], length.as_python_constant())
        return call(self, tx, [args[0], length], {})
    return hooks.DECLINED


def fixed_number(variable: Any) -> Any:
    """Dynamo's constant for a number that the shapes of tensors give; other variables unchanged."""
    from ..base.torch_names import ConstantVariable, SymNodeVariable

    return ConstantVariable.create(variable.evaluate_expr()) if isinstance(variable, SymNodeVariable) else variable


def repeated_combinations(tx: Any, items: Any, length: int) -> Any:
    """Dynamo's iterator for `itertools.combinations_with_replacement`, which Dynamo does not know."""
    from ..base.torch_names import BuiltinVariable, ListIteratorVariable, TupleVariable, ValueMutationNew

    pool = BuiltinVariable(list).call_function(tx, [items], {}).items
    groups = itertools.combinations_with_replacement(pool, length)
    return ListIteratorVariable([TupleVariable(list(group)) for group in groups], mutation_type=ValueMutationNew())


@FEATURE.hook("builtin.call", of=(range, pow, callable, max, min))
def call_builtin(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Trace `range`, `max`, `min` and `pow` of tensors, and `callable` of their methods."""
    from ..base.torch_names import BuiltinVariable, ConstantVariable, GetAttrVariable

    if self.fn is range:
        return call(self, tx, [range_argument(tx, arg.realize()) for arg in args], kwargs)
    if self.fn is pow and len(args) == 2 and not kwargs and any(arg.realize().is_tensor() for arg in args):
        return BuiltinVariable(operator.pow).call_function(tx, list(args), {})
    if self.fn is callable and len(args) == 1 and not kwargs and type(args[0].realize()) is GetAttrVariable:
        if args[0].realize().py_type is types.BuiltinMethodType:
            return ConstantVariable.create(True)
    if self.fn in EXTREME and len(args) > 1 and not kwargs and any(arg.realize().is_tensor() for arg in args):
        return inline(tx, EXTREME[self.fn], args, kwargs)
    return hooks.DECLINED


@FEATURE.method("tolist")
def list_numbers(to_list: Any, trace: trace_state.Trace, self: Any, tx: Any) -> Any:
    """Trace long lists of numbers from a tensor."""
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


def is_filled(cell: Any) -> bool:
    """Whether a variable shared between functions has a value by now; a list comprehension may assign the
    first value.
    """
    from ..base.torch_names import InstructionTranslator

    effects = InstructionTranslator.current_tx().output.side_effects
    return bool(effects.has_pending_mutation_of_attr(cell, "cell_contents") or cell.pre_existing_contents)


def is_copied_whole(trace: trace_state.Trace, tx: Any, variable: Any, memo: Any) -> bool:
    """Whether a deep copy of a tensor is a clone: the tensor owns its whole memory, with no gradient and no attributes.

    Python copies the memory once for all tensors of the copied object, and keeps the strides. `memo` is empty where the
    object is the tensor itself.
    """
    from torch.fx.experimental.symbolic_shapes import statically_known_true

    value = variable.as_proxy().node.meta["example_value"]
    if variable.python_type() is not torch.Tensor or value.layout != torch.strided or value.requires_grad:
        return False
    if not value.is_leaf or value.is_quantized or value.is_conj() or value.is_neg():
        return False
    size = value.numel() * value.element_size()
    is_dense = statically_known_true(value.storage_offset() == 0) and is_non_overlapping_and_dense_or_false(value)
    if not is_dense or not statically_known_true(value.untyped_storage().nbytes() == size):
        return False
    storage = value.untyped_storage()._cdata
    copied_memory = FEATURE.of(trace)  # memory of tensors that the call copied
    if tx.output.side_effects.has_pending_mutation(variable) or (memo.items != {} and storage in copied_memory):
        return False
    copied_memory.add(storage)
    if variable.source is None:
        return True
    real = tx.output.resolve_source_value(variable.source)
    has_attributes = any(not name.startswith("_dynamo_") for name in real.__dict__)
    return real.grad is None and not has_attributes and not real._backward_hooks


def range_argument(tx: Any, value: Any) -> Any:
    """The number in a tensor argument of `range`; other arguments unchanged."""
    example = value.as_proxy().node.meta["example_value"] if value.is_tensor() else None
    if example is None or example.dtype not in INTEGRAL or example.dtype == torch.bool or example.numel() != 1:
        return value
    return value.call_method(tx, "item", [], {})


def all_numbers(trace: trace_state.Trace, tx: Any, value: Any) -> Optional[Any]:
    """The result of `tolist` in this call, checked in the graph by one comparison; None if the numbers are unknown."""
    from ..base.torch_names import ConstantVariable, wrap_fx_proxy

    node = value.as_proxy().node
    tensor = path_of(trace, tx.output).tensor(node) if tx.output.current_tracer.parent is None else None
    if tensor is None or not fix_shape(trace, node.meta["example_value"]):
        return None
    numbers = tensor.tolist()
    example = node.meta["example_value"]
    options = {"dtype": example.dtype, "device": example.device}
    proxy = tx.output.create_proxy("call_function", torch.tensor, (numbers,), options)
    same = wrap_fx_proxy(tx, proxy).call_method(tx, "eq", [value], {}).call_method(tx, "all", [], {})
    is_equal = same.call_method(tx, "item", [], {})
    if not (isinstance(is_equal, ConstantVariable) or fix(trace, is_equal.sym_num)):
        return None
    note_list(trace, numbers, tensor.numel())
    return numbers


def greatest(best: Any, *others: Any) -> Any:
    """Python's `max` of several values: the first value with no greater one."""
    for other in others:
        if other > best:
            best = other
    return best


def least(best: Any, *others: Any) -> Any:
    """Python's `min` of several values: the first value with no smaller one."""
    for other in others:
        if other < best:
            best = other
    return best


EXTREME = {max: greatest, min: least}
SELECTIONS = (itertools.combinations, itertools.permutations, itertools.combinations_with_replacement)


def groupby(iterable: Any, key: Optional[Callable[[Any], Any]] = None) -> Iterator[tuple[Any, Any]]:
    """`itertools.groupby`; a request for the next group ends the present group."""
    items = iter(iterable)
    lookahead: list[Any] = []  # the next item and its key; empty before the next request
    turn = [0]

    def look() -> None:
        for item in items:
            lookahead.append(item)
            lookahead.append(item if key is None else key(item))
            return

    def members(number: int, wanted: Any) -> Iterator[Any]:
        while turn[0] == number:
            if not lookahead:
                look()
            if not lookahead or not lookahead[1] == wanted:
                return
            item = lookahead[0]
            lookahead.clear()
            yield item

    wanted = None
    while True:
        while True:
            if not lookahead:
                look()
            if not lookahead:
                return
            if turn[0] == 0 or not lookahead[1] == wanted:
                break
            lookahead.clear()
        turn[0] += 1
        wanted = lookahead[1]
        yield wanted, members(turn[0], wanted)
