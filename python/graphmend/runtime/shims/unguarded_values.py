"""Values that Dynamo reads once, and for which Dynamo has no guard.

    def apply(function, x):
        return function(x)

    apply(torch.Tensor.sin, x)
    apply(torch.Tensor.cos, x)                      # Dynamo runs the graph of `sin` again

A call with another value then runs a graph that was made for the first one. The values are descriptors of C classes
(the function that `__torch_function__` is given), the sign of a zero, attributes of a tensor that are constants
(`x.is_leaf`), the names in the `__dict__` of an object, the order of an `OrderedDict`, and the items of a tuple or list
whose class tells another length. Each gets a guard here. A bound descriptor
(`torch.Tensor.T.__get__`) is another object each time; its name is guarded, and Dynamo loads the object behind it.
"""

from __future__ import annotations

import collections
import functools
import types
from typing import Any

from ..base import hooks, trace_state
from ..base.dynamo_values import can_be_guarded, guarded_value, real

FEATURE = hooks.Feature(__name__, hooks.GAIN, "values that are read without a guard", partial=True)
DESCRIPTORS = (
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
)
# What Dynamo's own guard of a tensor holds: a change of these is another graph anyway.
GUARDED = frozenset("device dtype is_cpu is_cuda is_meta is_nested is_sparse layout ndim requires_grad shape".split())


@FEATURE.hook("variable.build")
def build_value(build: Any, trace: trace_state.Trace, self: Any, value: Any) -> Any:
    """Guard a descriptor or a zero that the program loads."""
    if not isinstance(value, (*DESCRIPTORS, types.MethodWrapperType, float, complex)):
        return hooks.DECLINED
    from ..base.torch_names import AttrSource, GuardBuilder, install_guard

    if isinstance(value, DESCRIPTORS):
        if can_be_guarded(self.source):
            install_guard(self.source.make_guard(GuardBuilder.ID_MATCH))
    elif isinstance(value, types.MethodWrapperType):
        if can_be_guarded(self.source):
            install_guard(AttrSource(self.source, "__name__").make_guard(GuardBuilder.EQUALS_MATCH))
    elif type(value) in (float, complex) and has_zero(value) and can_be_guarded(self.source):
        install_guard(self.source.make_guard(functools.partial(guard_signs, number=value)))
    return hooks.DECLINED


def has_zero(number: complex) -> bool:
    """Whether a number, or one of its parts, is a zero."""
    return number == 0 or type(number) is complex and 0 in (number.real, number.imag)


def guard_signs(builder: Any, guard: Any, *, number: complex) -> None:
    """Guard the signs of zeros in a number; Dynamo compares numbers by `==`."""
    value = builder.arg_ref(guard)
    code = f"({value} != {number!r} or repr({value}) == {repr(number)!r})"
    builder.add_python_lambda_leaf_guard_to_root([code], [code])  # runs behind all other guards


@FEATURE.hook("sequence.guard_length", needed=False)
def guard_items(install: Any, trace: trace_state.Trace, self: Any, guard: Any) -> Any:
    """Guard the number of items of an object whose class has a length of another kind, or none.

    Dynamo counts the items in the trace, and asks the class for the length in the guard.
    """
    items = guarded_value(self, guard.originating_source)
    kind = type(items)
    base = next((base for base in (tuple, list) if issubclass(kind, base) and kind.__len__ is not base.__len__), None)
    if base is None:
        return hooks.DECLINED
    self.TYPE_MATCH(guard)
    code = f"{base.__name__}.__len__({self.arg_ref(guard)}) == {base.__len__(items)}"
    self.add_python_lambda_leaf_guard_to_root([code], [code])
    return None


@FEATURE.hook("dict.guard_keys", needed=False)
def guard_order(install: Any, trace: trace_state.Trace, self: Any) -> Any:
    """Guard the order of an `OrderedDict`: Dynamo compares the keys in the order in which they were added."""
    from ..base.torch_names import install_guard

    value = real(self) if self.source is not None and can_be_guarded(self.source) else None
    if isinstance(value, collections.OrderedDict) and len(value) > 1:
        keys = list(collections.OrderedDict.keys(value))
        if all(type(key) in (str, int) for key in keys):
            install_guard(self.source.make_guard(functools.partial(guard_keys, keys=keys)))
    return hooks.DECLINED


def guard_keys(builder: Any, guard: Any, *, keys: list[Any]) -> None:
    """Guard the keys of an `OrderedDict` in their order."""
    code = f"list({builder.arg_ref(guard)}) == {keys!r}"
    builder.add_python_lambda_leaf_guard_to_root([code], [code])


@FEATURE.hook("tensor.getattr")
def read_tensor_attribute(read: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Guard an attribute of a tensor from before the call, where Dynamo takes the attribute for a constant."""
    from ..base.torch_names import AttrSource, GuardBuilder, install_guard

    value = read(self, tx, name)
    if name not in GUARDED and value.is_python_constant() and can_be_guarded(self.source):
        if isinstance(value.as_python_constant(), (bool, int, str)):
            install_guard(AttrSource(self.source, name).make_guard(GuardBuilder.EQUALS_MATCH))
        elif value.as_python_constant() is None:
            install_guard(AttrSource(self.source, name).make_guard(GuardBuilder.NONE_MATCH))
    return value


@FEATURE.hook("attribute_table.guard_names", needed=False)
def guard_names(install: Any, trace: trace_state.Trace, self: Any) -> Any:
    """Guard the names in the `__dict__` of an object."""
    from ..base.torch_names import GuardBuilder, install_guard

    if can_be_guarded(self.source):
        install_guard(self.source.make_guard(GuardBuilder.DICT_KEYS_MATCH))
    return hooks.DECLINED


@FEATURE.hook("attribute_table.guard_name", needed=False)
def guard_name(install: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any) -> Any:
    """Guard whether the `__dict__` of an object has a name."""
    from ..base.torch_names import GuardBuilder, install_guard

    if can_be_guarded(self.source) and args[0].is_python_constant():
        name = args[0].as_python_constant()
        present = functools.partial(GuardBuilder.DICT_CONTAINS, key=name)
        absent = functools.partial(GuardBuilder.DICT_NOT_CONTAINS, key=name)
        install_guard(self.source.make_guard(present if name in real(self) else absent))
    return hooks.DECLINED
