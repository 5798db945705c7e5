"""Constant folding: pure functions of Python, called during the trace.

    header = (7).to_bytes(4, "big")            # a method that Dynamo does not know
    parts = name.split("."); parts.pop()       # a list that Dynamo does not let change
    name = urllib.parse.quote(self.path)       # a function that Dynamo does not trace
    module = importlib.import_module("math")   # a module that is loaded

The result depends only on constants of the trace, and the call changes nothing, so the trace may make the call once.
A call that raises does so in the trace. Dynamo keeps calls with results other than numbers, strings and plain
containers.
"""

from __future__ import annotations

import importlib.metadata
import operator
import sys
import types
from typing import Any, Callable, Optional

from ..analysis.impure_functions import PURE, fact_of, is_plain, plain_arguments
from ..base import hooks, trace_state
from ..base.dynamo_values import as_constant

FEATURE = hooks.Feature(__name__, hooks.GAIN, "pure calls with constants alone", partial=True)

# Methods of constants without support in Dynamo or with lists as results, and methods of their classes.
METHODS: dict[type, frozenset[str]] = {
    int: frozenset(["to_bytes"]),
    str: frozenset(["split", "rsplit", "splitlines"]),
    bool: frozenset(["to_bytes"]),
    bytes: frozenset(name for name in vars(bytes) if not name.startswith("__")) - {"decode"},
}
GENERIC = frozenset([dict, frozenset, list, set, tuple, type])
OF_CLASSES: dict[type, frozenset[str]] = {
    int: frozenset(["from_bytes"]),
    float: frozenset(["fromhex"]),
    bytes: frozenset(["fromhex", "maketrans"]),
    str: frozenset(["maketrans"]),
}


@FEATURE.hook("skipped.call")
def fold_skipped(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Fold a function that Dynamo does not trace."""
    # Dynamo makes this call, too, but the trace ends where it raises.
    is_version = self.value is importlib.metadata.version
    result = fold_call(tx, self.value, args, kwargs) if is_version or is_pure(self.value) else None
    if self.value is importlib.import_module and len(args) == 1 and not kwargs:
        result = loaded_module(tx, args[0])
    return hooks.DECLINED if result is None else result


def loaded_module(tx: Any, name: Any) -> Optional[Any]:
    """Dynamo's variable of a module that is loaded already; None for other modules."""
    from ..base.torch_names import VariableTracker

    value = name.realize().as_python_constant() if name.is_python_constant() else None
    module = sys.modules.get(value) if isinstance(value, str) else None
    return None if module is None else VariableTracker.build(tx, module)


@FEATURE.hook("function.call")
def fold_function(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Fold a function written in Python."""
    result = fold_call(tx, self.fn, args, kwargs) if is_pure(getattr(self, "fn", None)) else None
    return hooks.DECLINED if result is None else result


@FEATURE.hook("builtin.call", of=(bytes,))
def fold_bytes(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Fold a call of `bytes`."""
    result = fold_call(tx, bytes, args, kwargs)
    return hooks.DECLINED if result is None else result


@FEATURE.hook("builtin.call", of=(operator.getitem,))
def fold_alias(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Fold a generic type with its parameters, for example `dict[str, Tensor]`, `NDArray[np.float64]`."""
    from ..base.torch_names import VariableTracker

    is_index = len(args) == 2 and not kwargs
    generic = type_of_variable(args[0].realize()) if is_index else None
    if type(generic) is not types.GenericAlias and generic not in GENERIC:
        return hooks.DECLINED
    try:
        alias = generic[parameter_of(args[1].realize())]
    except Exception:  # the parameter is no constant, or the type
        return hooks.DECLINED
    return VariableTracker.build(tx, alias)


@FEATURE.hook("translator.call")
def call_alias(call: Any, trace: trace_state.Trace, self: Any, function: Any, args: Any, kwargs: Any) -> Any:
    """Call the type behind a generic type, for example `list[int]()`."""
    alias = type_of_variable(function.realize())
    if type(alias) is not types.GenericAlias or alias.__origin__ not in GENERIC:
        return hooks.DECLINED
    from ..base.torch_names import VariableTracker

    return call(self, VariableTracker.build(self, alias.__origin__), args, kwargs)


def type_of_variable(variable: Any) -> Any:
    """The type or generic type that Dynamo's variable stands for; None for other variables."""
    fields = vars(variable)
    value = fields.get("value", fields.get("fn", getattr(type(variable), "_fn", None)))  # `_fn` of `dict`
    return value if isinstance(value, (type, types.GenericAlias)) else None


def parameter_of(variable: Any) -> Any:
    """The parameter of a generic type; raises where it is no type and no constant."""
    from ..base.torch_names import TupleVariable

    if isinstance(variable, TupleVariable):
        return tuple(parameter_of(item.realize()) for item in variable.items)
    found = type_of_variable(variable)
    return as_constant(variable) if found is None else found


@FEATURE.hook("constant.method")
def fold_method(method: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Fold a method of a constant."""
    is_listed = name in METHODS.get(type(self.value), ())
    result = fold_call(tx, getattr(self.value, name), args, kwargs) if is_listed else None
    return hooks.DECLINED if result is None else result


@FEATURE.hook("builtin.method")
def fold_class_method(
    method: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any
) -> Any:
    """Fold a method of a class."""
    is_listed = isinstance(self.fn, type) and name in OF_CLASSES.get(self.fn, ())
    result = fold_call(tx, getattr(self.fn, name), args, kwargs) if is_listed else None
    return hooks.DECLINED if result is None else result


def is_pure(function: Any) -> bool:
    """Whether a function is pure, and its whole result has a plain form."""
    fact = fact_of(function)
    return fact is not None and fact.kind == PURE and "" in fact.parts


def fold_call(tx: Any, function: Callable[..., Any], args: Any, kwargs: Any) -> Optional[Any]:
    """Dynamo's variable for a new object equal to the result of a call; None if the call cannot be folded."""
    from ..base.torch_names import SourcelessBuilder

    try:
        plain = plain_arguments(args, kwargs)
        if plain is None:
            return None
    except Exception:  # an argument is no constant
        return None
    value = called(tx, function, *plain)
    return SourcelessBuilder.create(tx, value) if is_plain(value) else None


def called(tx: Any, function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> Any:
    """The result of a call during the trace; the program sees what the call raises.

    Returns an object that is not plain where the exception has more than its arguments.
    """
    from ..base.torch_names import ConstantVariable, raise_observed_exception

    try:
        return function(*args, **kwargs)
    except Exception as error:
        if vars(error) or error.__cause__ is not None or isinstance(error, (OSError, UnicodeError)):
            return error
        if not all(type(item) in (str, int) for item in error.args):
            return error
        kind, texts = type(error), [ConstantVariable.create(item) for item in error.args]
    raise_observed_exception(kind, tx, args=texts)
