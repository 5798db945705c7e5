"""Objects in prints whose class makes their text in Python: the flush prints the text of the moment.

    self.loss.update(loss.item())
    print("loss:", self.loss)           # `__str__` of the program's class is traced where the statement stands

The object may change before the flush, and `__str__` may read other objects. So the trace calls `__str__` at the print,
as Python does, and the effect queue gets the text. The statement has to hand the object to `print`, or to put the
object into an f-string without a conversion or a specification.
"""

from __future__ import annotations

import types

import torch

from ..base import trace_state
from ..base.dynamo_values import are_python_classes, constant, translator
from ..capture.identity_guard import only_prints
from . import object_writes
from .shown_dataclasses import PRINTS
from .trace_time_effects import SHOWN

DEFERS = "defer"  # the function of `deferral.py` that copies the values of an effect


@constant
def has_text(site: str, name: str) -> bool:
    """Whether an effect shows a value of the calling frame by a text that its class makes in Python."""
    from ..base.torch_names import UserDefinedObjectVariable

    trace, current = trace_state.local.trace, translator().output.current_tx
    assert trace is not None
    variable = current.symbolic_locals[name].realize()
    shown = SHOWN.of(trace)
    if trace_state.rule_of(site) != PRINTS or shown.asks or shown.code is None or not only_prints(shown.code):
        return False
    if current.parent.parent.f_code.co_name != DEFERS:  # an item of a container, shown by `repr`
        return False
    return isinstance(variable, UserDefinedObjectVariable) and makes_text(variable.python_type())


def makes_text(kind: type) -> bool:
    """Whether `str` of an instance runs a function of the program, and no code of a builtin class."""
    if issubclass(kind, torch.nn.Module) or not are_python_classes(kind):
        return False
    if kind.__format__ is not object.__format__:
        return False
    method = kind.__str__ if kind.__str__ is not object.__str__ else kind.__repr__
    return isinstance(method, types.FunctionType)


@constant
def blame_records() -> None:
    """Refuse the records that the text of an object has read: the exception may come from a missing record."""
    trace, output = trace_state.local.trace, translator().output
    assert trace is not None
    object_writes.refuse_seen(trace, output)
    if trace.refusals:
        raise trace_state.SiteRefused("; ".join(trace.refusals.values()))
