"""Functions for releases of torch that lack them; each does the work of the newer function.

    names={"unpack_iterable": "older:unpack_iterable"}                             # first part of this module
    additions={"VariableTracker.is_tensor": "older:is_tensor"}                     # second part
    variable.is_tensor()                                                           # works on torch 2.9

The first part stands in for missing names of the table. The second part has methods that classes of Dynamo got later;
the rows `additions` of a release name the class of each.
"""

from __future__ import annotations

import importlib
import types
from typing import Any


class TempLocalSource:
    """The class of sources of values made inside the call; without instances on releases that lack the class."""


class LazyConstantVariable:
    """The class of variables of unused constants; without instances on releases that lack the class."""


def unpack_iterable(tx: Any, iterable: Any) -> list[Any]:
    """The items of an iterable; a generator runs to the end."""
    return list(iterable.force_unpack_var_sequence(tx))


def generic_richcompare(tx: Any, first: Any, second: Any, name: str) -> Any:
    """The variable of a comparison; `name` is the name of the method, such as `__lt__`."""
    import operator

    from torch._dynamo.variables import BuiltinVariable

    return BuiltinVariable(getattr(operator, name.strip("_"))).call_function(tx, [first, second], {})


def _register_effectful_op(operator: str, effect: Any) -> None:
    """Make compilers keep the order of calls of an operator, given as `namespace::name`."""
    import torch
    from torch._higher_order_ops.effects import _register_effectful_op

    space, _, name = operator.partition("::")
    _register_effectful_op(getattr(getattr(torch.ops, space), name).default, effect)


def is_non_overlapping_and_dense_or_false(value: Any) -> bool:
    """Whether the elements of a tensor lie side by side in memory; False where symbolic sizes leave the answer open."""
    from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

    prims: Any = importlib.import_module("torch._prims_common")
    try:
        return bool(prims.is_non_overlapping_and_dense(value))
    except GuardOnDataDependentSymNode:
        return False


def is_tensor(self: Any) -> bool:
    """`VariableTracker.is_tensor`: whether a variable stands for a tensor."""
    from torch._dynamo.variables import TensorVariable

    return isinstance(self.realize(), TensorVariable)


def is_constant_none(self: Any) -> bool:
    """`VariableTracker.is_constant_none`: whether a variable stands for None."""
    variable = self.realize()
    return bool(variable.is_python_constant()) and variable.as_python_constant() is None


def resolve_source_value(self: Any, source: Any) -> Any:
    """`OutputGraph.resolve_source_value`: the value at a source; raises for a source without a value."""
    from torch._dynamo.guards import _get_closure_vars

    scope = {"G": self.root_tx.f_globals, "L": self.root_tx.f_locals, **_get_closure_vars()}
    name = source.name  # a method in 2.9
    return eval(
        name() if callable(name) else name, scope
    )  # Dynamo evaluates guards in the same way: the text comes from Dynamo


def generic_getattr(self: Any, tx: Any, name: str) -> Any:
    """`UserDefinedObjectVariable.generic_getattr`: the attribute as `object.__getattribute__` finds it.

    The older method asks `__getattribute__` of the class first, if the class has the method. Code of the program behind
    the look-up would ask `__getattribute__`, too. So the getter of a property is called from here, and further
    attributes answered by such code end the graph.
    """
    from torch._dynamo.variables.base import VariableTracker

    from ..torch_names import unimplemented

    owner = next((base for base in type(self.value).__mro__ if name in vars(base)), None)
    member = vars(owner)[name] if owner is not None else None
    if isinstance(member, property) and isinstance(member.fget, types.FunctionType):
        getter = VariableTracker.build(tx, member.fget)
        return getter.call_function(tx, [self], {})
    binds = getattr(type(member), "__get__", None)
    if isinstance(binds, types.FunctionType) or hasattr(type(self.value), "__getattr__"):
        unimplemented(
            gb_type="Attribute that code of a class answers",
            context=f"object.__getattribute__(self, {name!r})",
            explanation=f"a descriptor or `__getattr__` of {type(self.value).__name__} answers",
            hints=[],
        )
    asks_class, self._object_has_getattribute = self._object_has_getattribute, False
    try:
        return self.var_getattr(tx, name)
    finally:
        self._object_has_getattribute = asks_class


# `OutputGraph.leaf_var_creation_order`: tensors that a call makes leaves are not noted.
leaf_var_creation_order: tuple[Any, ...] = ()


@property  # type: ignore[misc]
def backed_var_to_val(self: Any) -> Any:
    """`ShapeEnv.backed_var_to_val`: the values of the symbols, under the older name."""
    return self.var_to_val
