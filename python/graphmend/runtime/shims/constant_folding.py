"""Calls of Python's own that compute with constants of the trace alone, made while a call is traced.

Dynamo computes with constants, too, but knows few methods of `bytes` and hardly any function that reads or writes text.
What is called here depends on its arguments alone and changes nothing, so the trace may have the answer. Whatever
raises an exception, or gives more than numbers and texts, is left to Dynamo.
"""

from __future__ import annotations

from typing import Any, Callable, Optional

from ..analysis.impure_functions import PURE, fact_of, is_plain
from ..base import hooks, trace_state
from ..base.dynamo_values import as_constant

FEATURE = hooks.Feature(__name__, hooks.GAIN, "pure calls with constants alone")

# Methods of constants that Dynamo does not know, and methods of their classes.
METHODS: dict[type, frozenset[str]] = {
    int: frozenset(["to_bytes"]),
    bool: frozenset(["to_bytes"]),
    bytes: frozenset(name for name in vars(bytes) if not name.startswith("__")) - {"decode"},
}
OF_CLASSES: dict[type, frozenset[str]] = {
    int: frozenset(["from_bytes"]),
    float: frozenset(["fromhex"]),
    bytes: frozenset(["fromhex", "maketrans"]),
    str: frozenset(["maketrans"]),
}


@FEATURE.hook("skipped.call")
def fold_skipped(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """A function that Dynamo does not look into."""
    found = folded(tx, self.value, args, kwargs) if is_pure(self.value) else None
    return call(self, tx, args, kwargs) if found is None else found


@FEATURE.hook("function.call")
def fold_function(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """A function of Python."""
    found = folded(tx, self.fn, args, kwargs) if is_pure(getattr(self, "fn", None)) else None
    return call(self, tx, args, kwargs) if found is None else found


@FEATURE.hook("builtin.call")
def fold_bytes(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """`bytes`."""
    found = folded(tx, bytes, args, kwargs) if self.fn is bytes else None
    return call(self, tx, args, kwargs) if found is None else found


@FEATURE.hook("constant.method")
def fold_method(method: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """A method of a constant."""
    known = name in METHODS.get(type(self.value), ())
    found = folded(tx, getattr(self.value, name), args, kwargs) if known else None
    return method(self, tx, name, args, kwargs) if found is None else found


@FEATURE.hook("builtin.method")
def fold_class_method(
    method: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any
) -> Any:
    """A method of a class."""
    known = isinstance(self.fn, type) and name in OF_CLASSES.get(self.fn, ())
    found = folded(tx, getattr(self.fn, name), args, kwargs) if known else None
    return method(self, tx, name, args, kwargs) if found is None else found


def is_pure(function: Any) -> bool:
    """Whether what a function gives depends on its arguments alone, and the program may have all of it."""
    fact = fact_of(function)
    return fact is not None and fact.kind == PURE and "" in fact.parts


def folded(tx: Any, function: Callable[..., Any], args: Any, kwargs: Any) -> Optional[Any]:
    """Dynamo's variable of a new object that equals what a call gives; None where it is not to be made here."""
    from ..base.torch_names import SourcelessBuilder

    try:
        given = [as_constant(item) for item in args]
        named = {name: as_constant(item) for name, item in kwargs.items()}
        if not (is_plain(given) and is_plain(named)):
            return None
        value = function(*given, **named)
    except Exception:  # an argument that is no constant, or what the function raises
        return None
    return SourcelessBuilder.create(tx, value) if is_plain(value) else None
