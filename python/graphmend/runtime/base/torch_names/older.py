"""Functions for releases of torch that do not have them yet: each does what the newer one does."""

from __future__ import annotations

from typing import Any


class TempLocalSource:
    """The class of sources of values that a call makes for itself; nothing is of it where there is none."""


class LazyConstantVariable:
    """The class of variables of constants that nobody has asked for; nothing is of it where there is none."""


def unpack_iterable(tx: Any, iterable: Any) -> list[Any]:
    """The items of an iterable, a generator being run to its end."""
    return list(iterable.force_unpack_var_sequence(tx))


def generic_richcompare(tx: Any, first: Any, second: Any, name: str) -> Any:
    """The variable of a comparison; `name` is that of its method, such as `__lt__`."""
    import operator

    from torch._dynamo.variables import BuiltinVariable

    return BuiltinVariable(getattr(operator, name.strip("_"))).call_function(tx, [first, second], {})


def is_non_overlapping_and_dense_or_false(value: Any) -> bool:
    """Whether the elements of a tensor lie side by side in memory; False where symbolic sizes leave it open."""
    from torch._prims_common import is_non_overlapping_and_dense
    from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

    try:
        return bool(is_non_overlapping_and_dense(value))
    except GuardOnDataDependentSymNode:
        return False
