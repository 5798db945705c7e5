"""Dynamo's variables: the translator of this thread, values behind variables, calls that the trace inlines.

    def call_hook(call, trace, self, tx, args, kwargs):      # a hook of a feature
        if real(args[0]) is sys.stdout:                      # the object behind Dynamo's variable
            return inline(tx, print_later, args, kwargs)     # the trace goes on inside a function of the runtime

`constant` marks a function that Dynamo runs for real while tracing. The mark is `_dynamo_marked_constant`, the
attribute behind `torch._dynamo.assume_constant_result`, set by hand because loading a mended module must not load
Dynamo.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import sys
from typing import Any, Callable, TypeVar

from . import torch_names, trace_state
from .owned_state import OwnedState

Function = TypeVar("Function", bound=Callable[..., Any])


HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: a class made by Python code


def are_python_classes(kind: type) -> bool:
    """Whether a class and its bases, `object` apart, are made by Python code."""
    return all(base is object or base.__flags__ & HEAP_TYPE for base in kind.__mro__)


def constant(function: Function) -> Function:
    """Mark a function as run at trace time.

    Dynamo puts the result among the globals of the frame, under the name of the function. No program has such a name.
    """
    function.__code__ = function.__code__.replace(co_name=f"__graphmend_{function.__name__}")
    function._dynamo_marked_constant = True  # type: ignore[attr-defined]
    return function


def translator() -> Any:
    """Dynamo's translator of the frame being traced in this thread."""
    return torch_names.InstructionTranslator.current_tx()


def source_name(source: Any) -> str:
    """Dynamo's text for the origin of a value; empty for a value made in the trace. `name` is a method before torch
    2.10.
    """
    name = getattr(source, "name", "")
    return str(name() if callable(name) else name)


def guard_source(source: Any) -> Any:
    """The kind of place that a value comes from; None for a value made in the trace. A method before torch 2.10."""
    kind = getattr(source, "guard_source", None)
    return kind() if callable(kind) else kind


def can_be_guarded(source: Any) -> bool:
    """Whether compiled code can look a value up again; not so for a value made in the trace, or a cell itself."""
    try:
        return bool(source_name(source)) and guard_source(source) is not None
    except NotImplementedError:
        return False


def guard_attribute(source: Any, name: str) -> None:
    """Guard whether an object has an attribute, as it is now."""
    from .torch_names import AttrSource, GuardBuilder, install_guard

    check = GuardBuilder.HASATTR
    if "attr" in inspect.signature(check).parameters:
        install_guard(source.make_guard(functools.partial(check, attr=name)))
    else:  # older torch takes the attribute for the source
        install_guard(AttrSource(source, name).make_guard(check))


@dataclasses.dataclass
class Objects:
    """The objects of the program behind sources, in one graph: a trace reads them and changes none."""

    output: Any = None
    by_source: dict[Any, Any] = dataclasses.field(default_factory=dict)


OBJECTS = OwnedState(__name__, Objects)


def real(variable: Any) -> Any:
    """The object that the program holds; None for an object that the call has yet to make."""
    output, source, trace = translator().output, variable.source, trace_state.local.trace
    if source is not None:
        found = {} if trace is None else OBJECTS.of_graph(trace, output).by_source
        if source not in found:
            try:
                found[source] = output.resolve_source_value(source)
            except Exception:  # an object made in this call
                return None
        return found[source]
    return variable.as_python_constant() if variable.is_python_constant() else getattr(variable, "value", None)


def handles_exception(tx: Any) -> bool:
    """Whether the traced program is handling an exception; all frames of a trace share the stack of exceptions."""
    return len(tx.exn_vt_stack) > 0


def is_in_try() -> bool:
    """Whether a frame of the trace is inside of a `try`; the end of a `with` is none."""
    frame = translator().output.current_tx
    while frame is not None:
        if sys.version_info < (3, 11):
            if any(block.with_context is None for block in frame.block_stack):
                return True
        elif has_handler(frame.instructions, frame.current_instruction.exn_tab_entry):
            return True
        frame = frame.parent
    return False


def has_handler(steps: list[Any], entry: Any) -> bool:
    """Whether an entry of the exception table leads to a handler of the program.

    The ends of `with` blocks, of handlers and of generators are handlers of the compiler, with entries of their own.
    """
    while entry is not None:
        place = next(place for place, step in enumerate(steps) if step is entry.target)
        names = [step.opname for step in steps[place : place + 3]]
        if names[0] == "PUSH_EXC_INFO" and "WITH_EXCEPT_START" not in names:
            return True
        entry = steps[place].exn_tab_entry
    return False


def as_constant(variable: Any) -> Any:
    """The value of a variable, with a guard on every part; raises where the value is no constant."""
    hold_keys(variable)
    return variable.as_python_constant()


def is_constant(variable: Any, value: Any) -> bool:
    """Whether a variable is a constant of the trace, namely a certain object such as None or True."""
    return bool(variable.is_python_constant()) and variable.as_python_constant() is value


def hold_keys(variable: Any) -> None:
    """Guard the keys of dictionaries and their order, as Dynamo does for a program that asks for the keys."""
    from .torch_names import BaseListVariable, ConstDictVariable

    variable = variable.realize()
    if isinstance(variable, ConstDictVariable):
        variable.call_method(translator().output.current_tx, "keys", [], {})
        parts = list(variable.items.values())
    else:
        parts = variable.items if isinstance(variable, BaseListVariable) else []
    for part in parts:
        hold_keys(part)


def contents_of(variable: Any) -> Any:
    """The variable with the items of an object that derives from `list` or `dict`; other objects' own variable.

    Until torch 2.14 the items have a variable of their own; since 2.15 the object's variable has them.
    """
    return getattr(variable, "_base_vt", None) or variable


def kind_of_break(error: Any) -> str:
    """The kind of a graph break, by its name in PyTorch's registry: a field of the error, or the first line of its
    text.
    """
    return str(getattr(error, "gb_type", None) or str(error).partition("\n")[0])


def kind_of(variable: Any) -> Any:
    """The class of the value behind a variable; None where Dynamo does not know it."""
    try:
        return variable.python_type()
    except NotImplementedError:
        return None


def package(function: Any) -> str:
    """The top package of a function."""
    return str(getattr(function, "__module__", None) or "").partition(".")[0]


def is_unread(variable: Any) -> bool:
    """Whether Dynamo's variable is a value from before the call that the trace has not read: a read adds a guard."""
    return isinstance(variable, torch_names.LazyVariableTracker) and not variable.is_realized()


def lazily(tx: Any, value: Any) -> Any:
    """Dynamo's variable of a value without a source, realised at the first use."""
    from .torch_names import LazyVariableTracker

    options = {"tx": tx} if torch_names.release().version > (2, 12) else {}
    return LazyVariableTracker.create(value, source=None, **options)


def truth_of(tx: Any, variable: Any) -> Any:
    """Dynamo's variable of the truth value of a variable."""
    truth = getattr(variable, torch_names.method("truth"), None)
    if truth is not None:
        return truth(tx)
    return torch_names.VariableTracker.build(tx, bool).call_function(tx, [variable], {})  # torch before 2.10


def attribute_of(tx: Any, variable: Any, name: str) -> Any:
    """Dynamo's variable of an attribute of a variable."""
    return getattr(variable, torch_names.method("read"))(tx, name)


def receiver_of(method: Any) -> Any:
    """Dynamo's variable of the receiver of a bound method."""
    return getattr(method, torch_names.method("method_receiver"))


def bound_method(function: Callable[..., Any], receiver: Any) -> Any:
    """Dynamo's variable of a function of the runtime, bound to `receiver`."""
    from .torch_names import UserFunctionVariable, UserMethodVariable

    if torch_names.method("method_receiver") == "obj":
        return UserMethodVariable(function, receiver)
    return UserMethodVariable(UserFunctionVariable(function), receiver)


def guarded_value(builder: Any, source: Any) -> Any:
    """The value behind a source, for a guard under construction; older torch asks for the name of the source."""
    return builder.get(source.name() if callable(source.name) else source)


def inline(tx: Any, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Dynamo's variable of the result of a function of the runtime, traced as part of the program."""
    from .torch_names import VariableTracker

    return tx.inline_user_function_return(VariableTracker.build(tx, function), list(args), kwargs)
