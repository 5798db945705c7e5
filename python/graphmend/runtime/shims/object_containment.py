"""`in` with objects of the program: the object itself counts before `==`, and the answer is a truth value.

    class Score:
        def __eq__(self, other):
            return False

    score in [score]           # True: Python compares identities first, Dynamo asks `__eq__` alone

    class Labels:
        def __contains__(self, name):
            return self.table.get(name)

    known = "cat" in labels    # True or False; Dynamo gives the result of `__contains__`

The object itself is looked for behind the items in front of it. The answer of `__contains__` is asked for its truth.
"""

from __future__ import annotations

import operator
from typing import Any

from ..base import hooks, trace_state
from ..base.dynamo_values import inline, kind_of

FEATURE = hooks.Feature(__name__, hooks.GUARD, "membership of objects", partial=True)
SEARCH, ABSENT = "impl_CONTAINS_OP_fallback", object()


@FEATURE.hook("items.search")
def search_identity(
    search: Any, trace: trace_state.Trace, items: Any, wanted: Any, tx: Any, *args: Any, **kwargs: Any
) -> Any:
    """Find an object itself, behind items that differ from the object."""
    from ..base.torch_names import ConstantVariable

    if not is_object(wanted):
        return hooks.DECLINED
    values = list(items)
    place = next((place for place, item in enumerate(values) if item.realize() is wanted.realize()), None)
    if place is None:
        return search(values, wanted, tx, *args, **kwargs)
    if place:
        search(values[:place], wanted, tx, *args, **kwargs)  # calls `__eq__`
    return ConstantVariable.create(True)


@FEATURE.hook("builtin.call", of=(operator.contains,))
def ask_container(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Make the answer of a `__contains__` a truth value."""
    if len(args) != 2 or not is_object(args[0]):
        return hooks.DECLINED
    return as_truth(tx, call(self, tx, args, kwargs))


@FEATURE.hook("object.contains")
def ask_object(contains: Any, trace: trace_state.Trace, self: Any, tx: Any, *args: Any) -> Any:
    """Make the answer of a `__contains__` a truth value. Before torch 2.13, `in` calls the method as programs do."""
    if len(args) > 1 and (args[0] != "__contains__" or tx.current_instruction.opname != "CONTAINS_OP"):
        return hooks.DECLINED
    return as_truth(tx, contains(self, tx, *args))


@FEATURE.hook("function.call")
def search_iterator(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Go over the items of an iterator up to the object itself or an equal one; Dynamo's own function compares."""
    from ..base.torch_names import polyfills

    function = getattr(self, "fn", None)
    if function is not getattr(polyfills, SEARCH, ABSENT) or len(args) != 2 or not is_object(args[0]):
        return hooks.DECLINED
    return inline(tx, find, args, {})


def find(wanted: Any, items: Any) -> bool:
    """Whether one of the items is the wanted object, or equal to it."""
    for item in items:
        if item is wanted or item == wanted:
            return True
    return False


def as_truth(tx: Any, result: Any) -> Any:
    """The variable of the truth value of a result."""
    from ..base.torch_names import ConstantVariable, VariableTracker

    result = result.realize()
    if result.is_python_constant():
        value = result.as_python_constant()
        return result if isinstance(value, bool) else ConstantVariable.create(bool(value))
    if kind_of(result) is bool:
        return result
    if result.is_tensor():
        result = result.call_method(tx, "item", [], {})
    return VariableTracker.build(tx, bool).call_function(tx, [result], {})


def is_object(variable: Any) -> bool:
    """Whether a variable is an object of a class of the program."""
    from ..base.torch_names import UserDefinedObjectVariable

    return isinstance(variable.realize(), UserDefinedObjectVariable)
