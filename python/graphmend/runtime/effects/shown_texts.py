"""Objects in prints whose class makes their text in Python: the flush prints the text of the moment.

    self.loss.update(loss.item())
    print("loss:", self.loss)           # `__str__` of the program's class is traced where the statement stands

The object may change before the flush, and `__str__` may read other objects. So the trace calls `__str__` at the print,
as Python does, and the effect queue gets the text. Items of containers are shown by `__repr__`. The statement may only
show texts of the object: the statement hands the object to `print`, `str` or `repr`, or puts the object into an
f-string.
"""

from __future__ import annotations

import types
from typing import Any, Optional

import torch

from ..base import trace_state
from ..base.dynamo_values import are_python_classes, constant, translator
from ..capture.printed_values import ASKING, texts_of
from . import exceptions, object_writes
from .shown_dataclasses import PRINTS
from .trace_time_effects import SHOWN

CONTAINERS = (list, tuple, dict)  # they show their items by `repr`
# The functions of `deferral.py` that copy the values of an effect, and of a record.
DEFERS = "defer"
RECORDS = "record"


@constant
def is_shown_exception(name: str) -> bool:
    """Whether a value of the calling frame is an exception of the call, and the effect shows only its text."""
    trace, current = trace_state.local.trace, translator().output.current_tx
    assert trace is not None
    if not exceptions.is_made(trace, current.symbolic_locals[name].realize()):
        return False
    if SHOWN.of(trace).texts:
        return True
    values = current.parent
    return values.parent.f_code.co_name == RECORDS and bool(texts_in(values))


def texts_in(values: Any) -> Optional[set[str]]:
    """The texts of a value that the code of an effect or a record asks for; None if the code does more with the value.

    `values` is the frame that copies the values. The code of a record has the roots in front of them.
    """
    effect = values.parent
    sink = effect.symbolic_locals["sink"].realize()
    if not ASKING.keys().isdisjoint(sink.get_globals()):
        return None  # a `print` of the program
    code, place = sink.get_code(), values.symbolic_locals["i"].as_python_constant()
    if effect.f_code.co_name == RECORDS:
        place += len(effect.symbolic_locals["roots"].unpack_var_sequence(effect))
    return texts_of(code, code.co_varnames[place]) if place < code.co_argcount else None


@constant
def asked_texts(site: str, name: str) -> str:
    """The texts of a value of the calling frame that an effect shows: `s` by `str`, `r` by `repr`, `sr`; empty where
    the effect does more with the value, or the class of the value does not make the text in Python.
    """
    from ..base.torch_names import UserDefinedObjectVariable

    current = translator().output.current_tx
    variable = current.symbolic_locals[name].realize()
    if trace_state.rule_of(site) != PRINTS or not isinstance(variable, UserDefinedObjectVariable):
        return ""
    values, nested = current.parent, False  # the frame of `copy_values`
    while values.parent.f_code.co_name != DEFERS:
        if values.parent.symbolic_locals["value"].realize().python_type() not in CONTAINERS:
            return ""  # an argument of an exception: the text of the exception shows it by `str` or by `repr`
        values, nested = values.parent.parent, True
    texts = texts_in(values)
    if not texts:
        return ""
    asked = {"repr"} if nested else texts
    kind = variable.python_type()
    return "".join(text[0] for text in ("str", "repr") if text in asked) if makes_texts(kind, asked) else ""


class Text:
    """An object with the texts of another object."""

    def __init__(self, by_str: str, by_repr: str) -> None:
        self.by_str, self.by_repr = by_str, by_repr

    def __str__(self) -> str:
        return self.by_str

    def __repr__(self) -> str:
        return self.by_repr


def makes_texts(kind: type, asked: set[str]) -> bool:
    """Whether these texts of an instance run functions of the program, and no code of a builtin class."""
    if issubclass(kind, torch.nn.Module) or not (issubclass(kind, Exception) or are_python_classes(kind)):
        return False
    if kind.__format__ is not object.__format__:
        return False
    by_str = kind.__str__ if kind.__str__ is not object.__str__ else kind.__repr__
    methods = {"str": by_str, "repr": kind.__repr__}
    return all(isinstance(methods[text], types.FunctionType) for text in asked)


@constant
def blame_records() -> None:
    """Refuse the records that the text of an object has read: the exception may come from a missing record."""
    trace, output = trace_state.local.trace, translator().output
    assert trace is not None
    object_writes.refuse_seen(trace, output)
    if trace.refusals:
        raise trace_state.SiteRefused("; ".join(trace.refusals.values()))
