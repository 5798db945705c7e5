"""Texts made of texts unknown to the trace: `" | ".join(parts)`, `"loss " + text`, `str(number)`.

    parts = [f"{name}: {value:.3f}" for name, value in losses.items()]   # texts of numbers that data decide
    self.line = ", ".join(parts)                                         # Dynamo knows no `join` of such texts

Dynamo makes an unread text behind the graph, by `str.format` with the parts. Here texts joined of unknown texts are
made in the same way, and also `str` of a number from the data.
"""

from __future__ import annotations

import operator
from typing import Any

from ..base import hooks, trace_state
from ..capture.identity_guard import decided_by_data
from .string_formatting import escaped, is_constant_text

FEATURE = hooks.Feature(__name__, hooks.GAIN, "texts made of texts that the trace does not know")

JOINS = (operator.add, operator.iadd)


@FEATURE.hook("constant.method")
def join_texts(call: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Trace `separator.join(texts)` where the trace does not know all of the texts."""
    from ..base.torch_names import ListVariable, unpack_iterable

    if name != "join" or len(args) != 1 or kwargs or not is_constant_text(self):
        return hooks.DECLINED
    parts = list(unpack_iterable(tx, args[0].realize()))
    if not any(map(is_unknown, parts)) or not all(map(is_text, parts)):
        return call(self, tx, name, [ListVariable(parts)], {})
    return text_of_parts(tx, escaped(self.as_python_constant()).join(["{}"] * len(parts)), parts)


@FEATURE.hook("builtin.call", of=(*JOINS, str))
def make_text(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Trace `+` of texts, and `str` of a number from the data."""
    from ..base.torch_names import SymNodeVariable

    if kwargs or not trace.whole:
        return hooks.DECLINED
    if self.fn in JOINS and len(args) == 2 and any(map(is_unknown, args)) and all(map(is_text, args)):
        return text_of_parts(tx, "{}{}", list(args))
    if self.fn is str and len(args) == 1:
        number = args[0].realize()
        if isinstance(number, SymNodeVariable) and decided_by_data(number):
            return text_of_parts(tx, "{}", [number])
    return hooks.DECLINED


def is_text(variable: Any) -> bool:
    """Whether Dynamo's variable is a text."""
    return is_unknown(variable) or is_constant_text(variable.realize())


def is_unknown(variable: Any) -> bool:
    """Whether Dynamo's variable is a text made behind the graph."""
    from ..base.torch_names import StringFormatVariable

    return isinstance(variable.realize(), StringFormatVariable)


def text_of_parts(tx: Any, text: str, parts: list[Any]) -> Any:
    """Dynamo's variable for `text.format(*parts)`."""
    from ..base.torch_names import VariableTracker

    return VariableTracker.build(tx, text).call_method(tx, "format", parts, {})
