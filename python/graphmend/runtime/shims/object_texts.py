"""Texts of the program's own objects: `f"{Point(1, 2)}"`, `"{!r}".format(state)`.

    class Point:
        def __str__(self):
            return f"({self.x}, {self.y})"

    point = Point(1, 2)           # made by the call
    return x + 1, f"at {point}"   # Dynamo raises AttributeError: 'Point' object has no attribute 'x'

Dynamo makes such a text with the object itself, in front of the code that sets attributes: a new object has none yet,
and an object from before the call has those that it had then. Here `__format__`, `__str__` or `__repr__` is traced: for
a new object, and for any object once the call has changed something. `str` of an object whose class has `__repr__`
alone is traced, too: Dynamo takes the text of the first call for all later ones.
"""

from __future__ import annotations

import string
import types
from typing import Any, Iterator, Optional

from ..base import hooks, trace_state
from ..base.dynamo_values import translator
from ..base.effect_queue import is_queue
from ..effects import object_writes
from .string_formatting import escaped, items_of

FEATURE = hooks.Feature(__name__, hooks.GAIN, "texts of the program's own objects", partial=True)


@FEATURE.hook("text.create")
def create_text(create: Any, trace: trace_state.Trace, cls: Any, *rest: Any) -> Any:
    """Trace the texts of objects among the arguments; since torch 2.15 the translator is the first argument."""
    text, args, kwargs = rest[-3:]
    values = [value.realize() for value in (*args, *kwargs.values())]
    tx = translator().output.current_tx
    changed = changes(trace, tx)
    if not any(is_traced(value, changed) for value in values):
        return hooks.DECLINED
    fields = list(parsed(text, args, kwargs))
    if not all(fields):
        return hooks.DECLINED
    parts, variables = [], []
    for literal, value, spec, conversion in fields:  # type: ignore[misc]  # none is None
        parts.append(escaped(literal))
        if value is None:
            continue
        if is_traced(value.realize(), changed):
            value, spec, conversion = *object_text(tx, value.realize(), spec, conversion), ""
        parts.append("{" + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "") + "}")
        variables.append(value)
    return create(cls, *rest[:-3], "".join(parts), variables, {})


def parsed(text: str, args: Any, kwargs: Any) -> Iterator[Optional[tuple[str, Any, str, str]]]:
    """The literal, the value, the specification and the conversion of each field; None for a field with more."""
    number = 0
    for literal, name, spec, conversion in string.Formatter().parse(text):
        value = None
        if name is not None:
            key: Any = number if name == "" else int(name) if name.isdigit() else name
            number += name == ""
            value = kwargs.get(key) if isinstance(key, str) else args[key] if key < len(args) else None
            if value is None or "{" in (spec or ""):
                yield None
                return
        yield literal, value, spec or "", conversion or ""


def changes(trace: trace_state.Trace, tx: Any) -> bool:
    """Whether the call has changed an object from before the call, or has put off such a change."""
    modified = tx.output.side_effects._get_modified_vars()
    return bool(object_writes.FEATURE.of(trace).records) or any(not is_queue(variable) for variable in modified)


def is_traced(value: Any, changed: bool) -> bool:
    """Whether a value is, or holds, an object whose text may not be that of the object as it was before the call."""
    from ..base.torch_names import UserDefinedObjectVariable

    if isinstance(value, UserDefinedObjectVariable):
        return changed or value.source is None
    return any(is_traced(item.realize(), changed) for item in items_of(value) or ())


def object_text(tx: Any, value: Any, spec: str, conversion: str) -> tuple[Any, str]:
    """Dynamo's variable for the text of an object, and the specification that is left for the text."""
    from ..base.torch_names import BuiltinVariable, VariableTracker

    method = getattr(value.python_type(), "__format__", None)
    if not conversion and isinstance(method, types.FunctionType):
        return value.call_method(tx, "__format__", [VariableTracker.build(tx, spec)], {}), ""
    if not conversion and (spec or method is not object.__format__):
        raise trace_state.SiteRefused("the format of an object is made outside of Python")
    function = {"": str, "s": str, "r": repr, "a": ascii}[conversion]
    return BuiltinVariable(function).call_function(tx, [value], {}), spec


@FEATURE.hook("builtin.call", of=(str,))
def make_text(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Trace `str` of an object that only has a `__repr__` written in Python."""
    from ..base.torch_names import UserDefinedObjectVariable

    value = args[0].realize() if len(args) == 1 and not kwargs else None
    if not isinstance(value, UserDefinedObjectVariable) or value.python_type().__str__ is not object.__str__:
        return hooks.DECLINED
    return own_repr(tx, value)


@FEATURE.hook("class.method")
def make_text_by_class(
    call: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any
) -> Any:
    """Trace `Point.__str__(point)` where the class has object's method, which asks for `repr`."""
    if name != "__str__" or len(args) != 1 or kwargs or self.value.__str__ is not object.__str__:
        return hooks.DECLINED
    return own_repr(tx, args[0].realize())


@FEATURE.hook("super.method")
def make_text_by_super(
    call: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any
) -> Any:
    """Trace `super().__str__()` where the bases have object's method alone."""
    if name != "__str__" or args or kwargs or self.objvar is None:
        return hooks.DECLINED
    value = self.objvar.realize()
    bases = value.python_type().__mro__
    start = self.typevar.as_python_constant()
    behind = bases[bases.index(start) + 1 :] if start in bases else ()
    found = [base for base in behind if "__str__" in vars(base)]
    return own_repr(tx, value) if found == [object] else hooks.DECLINED


def own_repr(tx: Any, value: Any) -> Any:
    """The text of the `__repr__` that the program has written for an object."""
    from ..base.torch_names import UserFunctionVariable

    method = value.python_type().__repr__
    if not isinstance(method, types.FunctionType):
        return hooks.DECLINED
    return UserFunctionVariable(method).call_function(tx, [value], {})  # Dynamo does not find all methods of modules
