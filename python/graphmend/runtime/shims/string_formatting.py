"""Strings with values unknown to the trace: tensors, data-dependent numbers, and dynamic sizes.

    f"loss {loss:.3f}"                 # Dynamo would show the fake tensor
    f"{count!r:>6}"                    # Dynamo forgets the conversion of a number
    "%s" % (x.shape,)                  # Dynamo has no text of a symbolic size, in containers either

A text that the trace does not read is made by Dynamo behind the graph, with the numbers of each call. A text that the
trace reads is a text of this call: the trace is repeated with all sizes in texts fixed (`Texts.of_this_call`).
"""

from __future__ import annotations

import dataclasses
import functools
import operator
import re
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
CONVERSIONS = ("", "!s", "!r", "!a")  # indexed by the flags of an f-string
MAKING = (str, repr, ascii, format, operator.mod)
CONVERSION = re.compile(r"%(?P<other>\([^)]*\))?[#0 +-]*\d*(?:\.\d*)?[hlL]?(?P<kind>.)", re.DOTALL)
NUMERIC = frozenset("dieEfFgG")  # conversions that ask an object for its number
SHOWN = (type(None), bool, int, float, str, bytes, torch.dtype, torch.device)


@FEATURE.hook("text.format_value")
def format_value(show: Any, trace: trace_state.Trace, self: Any, specification: Any, flags: int) -> None:
    """Trace tensors in an f-string, and numbers with a conversion."""
    from ..base.torch_names import (
        LazySymNodeFormatString,
        StringFormatVariable,
        SymNodeVariable,
    )

    value = self.stack[-1].realize()
    if value.is_tensor():
        self.pop()
        variable = tensor_text(trace, self, value, flags & 3)
        if variable is None:
            self.push(StringFormatVariable("{}", [text_class()()], {}))
            return
        self.push(variable)
    if isinstance(value, SymNodeVariable):
        push_number(self, LazySymNodeFormatString, value, specification, flags)
        return
    show(self, specification, flags)


def push_number(tx: Any, kind: Any, value: Any, specification: Any, flags: int) -> None:
    """Put the text of a number onto the stack in place of the number; `kind` is Dynamo's class of such texts."""
    from ..base.torch_names import VariableTracker

    tx.pop()
    text = kind(value, specification)
    text.fmt_var = VariableTracker.build(tx, f"{{{CONVERSIONS[flags & 3]}:{specification.as_python_constant()}}}")
    tx.push(lazily(tx, text))  # a variable with a source would stand for the number


@FEATURE.hook("text.number")
def text_of_number(original: Any, trace: trace_state.Trace, self: Any) -> str:
    """The text of a number in an f-string; Dynamo would format the number's `str`, aligned like a string.

    The text is made behind the graph, as Dynamo does after this exception, unless the trace reads it.
    """
    from ..base.torch_names import UserError, UserErrorType

    texts = FEATURE.of(trace)
    if not texts.of_this_call and not items_in(self.sym_node_var.sym_num):
        texts.met = True
        raise UserError(UserErrorType.ANTI_PATTERN, "the number exists behind the graph alone")
    return str(self.fmt_var.as_python_constant().format(number_of(trace, self.sym_node_var)))


@FEATURE.hook("builtin.call", of=MAKING)
def make_text(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Trace `str`, `repr`, `format` and `%` of dynamic sizes, and `str` of a text."""
    from ..base.torch_names import StringFormatVariable, VariableTracker

    if self.fn is str and len(args) == 1 and not kwargs and isinstance(args[0].realize(), StringFormatVariable):
        return args[0].realize()
    if not kwargs and makes_text(self.fn, args):
        values = unwrapped([present_value(trace, arg.realize()) for arg in args])
        if values is not None:
            return VariableTracker.build(tx, self.fn(*values))
    return hooks.DECLINED


@FEATURE.hook("builtin.call", of=(operator.mod,))
def show_tensors(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Trace `"%.3f" % loss` as `"%.3f" % loss.item()`: Python asks the tensor for its number."""
    from ..base.torch_names import TupleVariable

    if kwargs or not trace.whole or not is_constant_text(args[0]):
        return hooks.DECLINED
    right = args[1].realize()
    values = [item.realize() for item in right.items] if type(right) is TupleVariable else [right]
    kinds = kinds_of(args[0].as_python_constant())
    if not any(map(has_one_element, values)) or len(kinds) != len(values):
        return hooks.DECLINED
    if any(has_one_element(value) and kind not in NUMERIC for value, kind in zip(values, kinds)):
        return hooks.DECLINED
    numbers = [value.call_method(tx, "item", [], {}) if has_one_element(value) else value for value in values]
    return self.call_function(tx, [args[0], TupleVariable(numbers)], {})


def is_constant_text(variable: Any) -> bool:
    """Whether Dynamo's variable is a text that the trace knows."""
    return bool(variable.is_python_constant() and variable.python_type() is str)


def escaped(text: str) -> str:
    """A text with its braces escaped for `format`."""
    return text.replace("{", "{{").replace("}", "}}")


def has_one_element(variable: Any) -> bool:
    """Whether Dynamo's variable is a tensor with one element."""
    if not variable.is_tensor() or variable.python_type() is not torch.Tensor:
        return False
    return all(type(size) is int and size == 1 for size in variable.as_proxy().node.meta["example_value"].shape)


def kinds_of(text: str) -> list[str]:
    """The letters of the conversions in a text for the operator `%`; a name makes it empty."""
    found = CONVERSION.finditer(text)
    return [match["kind"] if not match["other"] else "" for match in found if match["kind"] != "%"]


@FEATURE.hook("text.create")
def create_text(create: Any, trace: trace_state.Trace, cls: Any, *rest: Any) -> Any:
    """Trace texts with dynamic sizes; Dynamo makes a text behind the graph if the trace does not read the text.

    Since torch 2.15 the translator is the first argument.
    """
    from ..base.torch_names import ConstantVariable

    text, args, kwargs = rest[-3:]
    variables = [value.realize() for value in (*args, *kwargs.values())]
    if not any(map(is_open, variables)):
        return hooks.DECLINED
    texts = FEATURE.of(trace)
    texts.met = True
    constants = unwrapped([present_value(trace, value) for value in variables]) if texts.of_this_call else None
    if constants is None:
        return hooks.DECLINED
    return ConstantVariable.create(text.format(*constants[: len(args)], **dict(zip(kwargs, constants[len(args) :]))))


def makes_text(function: Function, args: Any) -> bool:
    """Whether a call makes a text of a dynamic size, or is `format`, which Dynamo confuses with the method `format`."""
    variables = [arg.realize() for arg in args]
    if function is format:
        return True
    if function is operator.mod and not is_constant_text(variables[0]):
        return False
    return any(map(is_open, variables))


@FEATURE.hook("text.hash", needed=False)
def refuse_hash(call: Any, trace: trace_state.Trace, self: Any, tx: Any) -> Any:
    """Refuse a text with a tensor as a key; Dynamo would compare such keys by identity."""
    raise trace_state.SiteRefused("a text that is not known yet is looked up")


def tensor_text(trace: trace_state.Trace, tx: Any, value: Any, conversion: int) -> Any:
    """The variable for a tensor in an f-string: its number, as `Tensor.__format__` shows it; None for other tensors."""
    example = value.as_proxy().node.meta["example_value"]
    note_numbers(trace)
    if (trace.whole and example.dtype not in INTEGRAL) or (numbers_of(trace).fixed and example.dtype in INTEGRAL):
        if not conversion and example.dim() == 0 and value.python_type() is torch.Tensor:
            return value.call_method(tx, "item", [], {})
    return None


@functools.lru_cache(maxsize=None)
def text_class() -> type:
    """Dynamo's class of variables for a tensor in a text; imported late, because Dynamo may not be loaded yet."""
    from ..base.torch_names import VariableTracker

    class Text(VariableTracker):  # type: ignore[misc]  # a class of Dynamo, unknown to mypy
        """A text that the trace has not read, such as the message of a check that holds."""

        def python_type(self) -> type:
            return torch.Tensor

        def reconstruct(self, codegen: Any) -> None:
            raise trace_state.SiteRefused("the text of a tensor is asked for")

    return Text


def is_open(variable: Any) -> bool:
    """Whether Dynamo's variable is a symbolic integer, or a container with one."""
    from ..base.torch_names import SymNodeVariable

    if isinstance(variable, SymNodeVariable):
        return isinstance(variable.sym_num, (torch.SymInt, torch.SymBool))
    return any(is_open(item.realize()) for item in items_of(variable) or ())


def items_of(variable: Any) -> Optional[list[Any]]:
    """The items of a tuple, a list, a size or a dictionary, as Dynamo's variables; None for other values."""
    from ..base.torch_names import ConstDictVariable, ListVariable, SizeVariable, TupleVariable

    if type(variable) in (TupleVariable, ListVariable, SizeVariable):
        return list(variable.items)
    if type(variable) is ConstDictVariable and variable.python_type() is dict:
        return list(variable.items.values())
    return None


def present_value(trace: trace_state.Trace, variable: Any) -> Optional[tuple[Any]]:
    """The value of Dynamo's variable in this call, its integers fixed; None for more than numbers, strings and
    containers.
    """
    from ..base.torch_names import SymNodeVariable

    if isinstance(variable, SymNodeVariable):
        return (number_of(trace, variable),) if is_open(variable) else None
    items = items_of(variable)
    if items is None:
        is_shown = variable.is_python_constant() and type(variable.as_python_constant()) in SHOWN
        return (variable.as_python_constant(),) if is_shown else None
    constants = unwrapped([present_value(trace, item.realize()) for item in items])
    if constants is None:
        return None
    if variable.python_type() is not dict:
        return (variable.python_type()(constants),)
    keys = unwrapped([present_value(trace, key.vt.realize()) for key in variable.items])
    return None if keys is None else (dict(zip(keys, constants)),)


def unwrapped(values: list[Optional[tuple[Any]]]) -> Optional[list[Any]]:
    """Known values without their tuples; None if a value is unknown."""
    known = [value[0] for value in values if value is not None]
    return known if len(known) == len(values) else None


def number_of(trace: trace_state.Trace, variable: Any) -> Any:
    """The number of Dynamo's variable in this call.

    A number read from an input tensor is refused: each number would have a text, and a graph, of its own.
    """
    if items_in(variable.sym_num):
        note_numbers(trace)
        raise trace_state.SiteRefused("the text of a number that data decide")
    return variable.python_type()(variable.evaluate_expr())
