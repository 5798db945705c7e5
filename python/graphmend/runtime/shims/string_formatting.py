"""Texts of what the trace does not know: of tensors, of numbers that data decide, of sizes that are left open.

Dynamo shows the tensor that it traces with, forgets how the text of a number is converted, and makes no text of a size
that may be another one in the next call, be it in a tuple, a list or a dictionary. Such a text is that of the call that
is traced. One that Dynamo makes behind the graph, because the trace does not ask for it, stays as it is; where it does,
it is repeated with the sizes in all texts known (`Texts.of_this_call`).
"""

from __future__ import annotations

import dataclasses
import functools
import operator
from typing import Any, Callable, Optional

import torch

from ..base import hooks, trace_state
from ..base.dynamo_values import lazily
from ..capture.assumptions import items_in, note_numbers, numbers_of
from ..capture.tensor_predicates import INTEGRAL


@dataclasses.dataclass
class Texts:
    """The texts with open sizes in one trace."""

    of_this_call: bool = False  # the sizes in texts are those of the call
    met: bool = False  # there was such a text


FEATURE = hooks.Feature(__name__, hooks.GAIN, "texts of what the trace does not know", state=Texts)

Function = Callable[..., Any]
CONVERSIONS = ("", "!s", "!r", "!a")  # by the flags of an f-string
MAKING = (str, repr, ascii, format, operator.mod)
SHOWN = (type(None), bool, int, float, str, bytes, torch.dtype, torch.device)


@FEATURE.hook("text.format_value")
def format_value(show: Any, trace: trace_state.Trace, self: Any, specification: Any, flags: int) -> None:
    """Tensors in an f-string, and numbers, of which Dynamo forgets how their text is converted."""
    from ..base.torch_names import (
        LazySymNodeFormatString,
        StringFormatVariable,
        SymNodeVariable,
        VariableTracker,
    )

    value = self.stack[-1].realize()
    if value.is_tensor():
        self.pop()
        found = shown(trace, self, value, flags & 3)
        if found is None:
            self.push(StringFormatVariable("{}", [text_class()()], {}))
            return
        self.push(found)
    if isinstance(value, SymNodeVariable):
        self.pop()
        text = LazySymNodeFormatString(value, specification)
        text.fmt_var = VariableTracker.build(self, f"{{{CONVERSIONS[flags & 3]}:{specification.as_python_constant()}}}")
        self.push(lazily(self, text))  # with a source it would be the number
        return
    show(self, specification, flags)


@FEATURE.hook("text.number")
def text_of_number(original: Any, trace: trace_state.Trace, self: Any) -> str:
    """The text of a number in an f-string: Dynamo would format what `str` says of it, and align it as a text."""
    return str(self.fmt_var.as_python_constant().format(number_of(trace, self.sym_node_var)))


@FEATURE.hook("builtin.call")
def make_text(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """`str`, `repr`, `format` and `%` of sizes that are left open."""
    from ..base.torch_names import VariableTracker

    if self.fn in MAKING and not kwargs and makes_text(self.fn, args):
        values = [known(trace, arg.realize()) for arg in args]
        if None not in values:
            return VariableTracker.build(tx, self.fn(*(value for (value,) in values)))
    return call(self, tx, args, kwargs)


@FEATURE.hook("text.create")
def create_text(create: Any, trace: trace_state.Trace, cls: Any, *rest: Any) -> Any:
    """Texts with such sizes in them, which Dynamo makes behind the graph if nothing asks for them in the trace.

    Since torch 2.15 the translator stands in front of the text.
    """
    from ..base.torch_names import ConstantVariable

    text, args, kwargs = rest[-3:]
    given = [value.realize() for value in (*args, *kwargs.values())]
    if not any(map(is_open, given)):
        return create(cls, *rest)
    texts = FEATURE.of(trace)
    texts.met = True
    values = [known(trace, value) for value in given] if texts.of_this_call else [None]
    if None in values:
        return create(cls, *rest)
    plain = [value for (value,) in values]
    return ConstantVariable.create(text.format(*plain[: len(args)], **dict(zip(kwargs, plain[len(args) :]))))


def makes_text(function: Function, args: Any) -> bool:
    """Whether a call of such a function makes a text of a size that is left open, or is `format`, for which Dynamo
    takes the method of that name."""
    given = [arg.realize() for arg in args]
    if function is format:
        return True
    if function is operator.mod and not (given[0].is_python_constant() and given[0].python_type() is str):
        return False
    return any(map(is_open, given))


@FEATURE.hook("text.hash", needed=False)
def refuse_hash(call: Any, trace: trace_state.Trace, self: Any, tx: Any) -> Any:
    """A text with a tensor in it, as a key: by identity, if it were up to Dynamo."""
    raise trace_state.SiteRefused("a text that is not known yet is looked up")


def shown(trace: trace_state.Trace, tx: Any, value: Any, conversion: int) -> Any:
    """What stands for a tensor in an f-string: the number in it, if it is known; Dynamo would show the tensor that it
    traces with."""
    example = value.as_proxy().node.meta["example_value"]
    note_numbers(trace)
    if numbers_of(trace).fixed and not conversion and example.dim() == 0 and example.dtype in INTEGRAL:
        if value.python_type() is torch.Tensor:
            return value.call_method(tx, "item", [], {})
    return None


@functools.lru_cache(maxsize=None)
def text_class() -> type:
    """The class of Dynamo's variables that stand for a tensor in a text; made late because Dynamo is loaded late."""
    from ..base.torch_names import VariableTracker

    class Text(VariableTracker):
        """A text that nobody has asked for so far, such as the message of a check that holds."""

        def python_type(self) -> type:
            return torch.Tensor

        def reconstruct(self, codegen: Any) -> None:
            raise trace_state.SiteRefused("the text of a tensor is asked for")

    return Text


def is_open(variable: Any) -> bool:
    """Whether a variable of Dynamo's is an integer that the trace leaves open, or holds one."""
    from ..base.torch_names import SymNodeVariable

    if isinstance(variable, SymNodeVariable):
        return isinstance(variable.sym_num, (torch.SymInt, torch.SymBool))
    return any(is_open(item.realize()) for item in items_of(variable) or ())


def items_of(variable: Any) -> Optional[list[Any]]:
    """What a tuple, a list, a size or a dictionary holds, as Dynamo's variables; None for anything else."""
    from ..base.torch_names import ConstDictVariable, ListVariable, SizeVariable, TupleVariable

    if type(variable) in (TupleVariable, ListVariable, SizeVariable):
        return list(variable.items)
    if type(variable) is ConstDictVariable and variable.user_cls is dict:
        return list(variable.items.values())
    return None


def known(trace: trace_state.Trace, variable: Any) -> Optional[tuple[Any]]:
    """What a variable of Dynamo's is in this call, its integers being constants from here on; None where it is more
    than numbers and texts."""
    from ..base.torch_names import SymNodeVariable

    if isinstance(variable, SymNodeVariable):
        return (number_of(trace, variable),) if is_open(variable) else None
    held = items_of(variable)
    if held is None:
        plain = variable.is_python_constant() and type(variable.as_python_constant()) in SHOWN
        return (variable.as_python_constant(),) if plain else None
    values = [known(trace, item.realize()) for item in held]
    if None in values:
        return None
    plain = [value for (value,) in values]
    if variable.python_type() is not dict:
        return (variable.python_type()(plain),)
    keys = [known(trace, key.vt.realize()) for key in variable.items]
    return None if None in keys else (dict(zip((key for (key,) in keys), plain)),)


def number_of(trace: trace_state.Trace, variable: Any) -> Any:
    """The number that a variable of Dynamo's is in this call.

    A number in an input is a constant of few graphs instead: there is a text for each.
    """
    if items_in(variable.sym_num):
        note_numbers(trace)
        raise trace_state.SiteRefused("the text of a number that data decide")
    return variable.python_type()(variable.evaluate_expr())
