"""Functions that Dynamo runs for real while it traces a deferred effect; their results are constants of the graph.

    reason = undeferrable("sink")      # in `defer`: Dynamo calls the function, and goes on with the string
    if reason:
        refuse(site, reason)

The dialect asks here whether a sink and its values can wait, and notes the effect in the trace. Arguments such as
`"sink"` are names of variables in the traced frame.
"""

from __future__ import annotations

import dataclasses
import io
import sys
import types
from typing import Any

from ..base import call_stack, trace_state
from ..base.dynamo_values import constant, translator
from ..base.owned_state import OwnedState
from ..capture import identity_guard
from . import exceptions, object_writes, receivers, redirected_output, undo_log


@dataclasses.dataclass
class Shown:
    """The effect that one trace defers now, and the effects that may show a tensor."""

    shares: bool = False  # the record puts a container in that the call has made
    texts: bool = False  # the effect looks at exceptions only for their texts
    asks: bool = False  # the effect does more with its values than to hand them on
    whole: set[str] = dataclasses.field(default_factory=set)  # keys of events that may show a tensor as a whole


SHOWN = OwnedState(__name__, Shown)


def may_show_whole(trace: trace_state.Trace, key: str) -> bool:
    """Whether an event may show a tensor as a whole, with its history."""
    return key in SHOWN.of(trace).whole


@constant
def noted_stack(levels: int) -> str:
    """The key under which the stack of the mended statement is noted."""
    return call_stack.note_stack(translator().output.current_tx, levels)


@constant
def is_followed(site: str) -> bool:
    """Whether the calling frame records into an object of this call: the trace itself follows such writes."""
    trace = trace_state.local.trace
    current = translator().output.current_tx
    roots = current.symbolic_locals["roots"].unpack_var_sequence(current)
    assert trace is not None
    if trace.open or not roots or roots[0].source is not None:
        return False
    if not object_writes.has_record(trace, site):
        trace.touched.pop(site, None)  # the statement runs unmended
    return True


@constant
def keeps_objects(site: str, name: str, numbers: str, action: str) -> bool:
    """Whether a record stores an object besides numbers and strings; the trace then follows the write itself.

    `numbers` has a `v` for each value unknown from the source. Containers of numbers and strings made by the call may
    be recorded where the sink stores its argument unchanged. `numbers` has a `c` where the sink takes items out of a
    value, and the items may be in any container.
    """
    trace, current = trace_state.local.trace, translator().output.current_tx
    assert trace is not None
    shown = SHOWN.of(trace)
    shown.shares = False
    if "v" not in numbers and "c" not in numbers:
        return False
    values = current.symbolic_locals[name].unpack_var_sequence(current)
    unknown = [(value, mark) for value, mark in zip(values, numbers) if not object_writes.is_number_or_text(value)]
    new_containers = [value for value, mark in unknown if mark == "v"]
    shown.shares = bool(new_containers)
    stores_unchanged = not new_containers or object_writes.keeps_itself(
        action, current.symbolic_locals["sink"].get_code()
    )
    holds_numbers = all(object_writes.holds_numbers(value) for value, mark in unknown if mark == "c")
    if stores_unchanged and holds_numbers and all(map(object_writes.is_made_of_numbers, new_containers)):
        return False
    trace.touched.pop(site, None)
    return True


@constant
def prints_elsewhere(name: str, numbers: str) -> bool:
    """Whether a value marked with `f` is an unsupported file of a print.

    Supported are None, text files from before the call, the present standard streams, and an `io.StringIO` of the call.
    """
    current = translator().output.current_tx
    values = current.symbolic_locals[name].unpack_var_sequence(current)
    return any(mark == "f" and not is_stream(value.realize()) for value, mark in zip(values, numbers))


def is_stream(variable: Any) -> bool:
    """Whether Dynamo's variable is a supported file; the graph gets a guard on a standard stream."""
    from ..base.torch_names import GuardBuilder, install_guard

    if redirected_output.is_made(variable):
        return True
    if variable.source is None or variable.is_constant_none():
        return bool(variable.is_constant_none())
    if variable.python_type() in (io.StringIO, io.TextIOWrapper):
        return True
    install_guard(variable.source.make_guard(GuardBuilder.ID_MATCH))
    return any(getattr(variable, "value", None) is stream for stream in (sys.stdout, sys.stderr))


@constant
def unrecordable(site: str, path: str, action: str) -> str:
    """The reason why the record in the calling frame cannot be deferred; empty if it can."""
    trace = trace_state.local.trace
    assert trace is not None
    shown = SHOWN.of(trace)
    shown.texts, shown.asks = False, True
    return object_writes.unsafe_record(trace, translator().output.current_tx, site, path, action, shown.shares) or ""


@constant
def leave_as_written(site: str, reason: str) -> None:
    """Note why the trace follows a record instead of deferring it."""
    trace = trace_state.local.trace
    assert trace is not None
    trace.touched.pop(site, None)
    trace.blamed[site] = reason


@constant
def is_later(name: str) -> bool:
    """Whether a variable of the calling frame is a deferred value."""
    return is_deferred(translator().output.current_tx.symbolic_locals[name])


@constant
def any_later(name: str) -> bool:
    """Whether a tuple of the calling frame has a deferred value."""
    current = translator().output.current_tx
    return any(map(is_deferred, current.symbolic_locals[name].unpack_var_sequence(current)))


def is_deferred(variable: Any) -> bool:
    """Whether Dynamo's variable stands for a deferred value."""
    from .deferred_values import READINGS, has_readings

    trace = trace_state.local.trace
    assert trace is not None
    return has_readings(trace) and getattr(variable.realize(), "value_type", None) in READINGS


@constant
def is_made_text(name: str) -> bool:
    """Whether a variable of the calling frame is an `io.StringIO` of the call."""
    return redirected_output.is_made(translator().output.current_tx.symbolic_locals[name].realize())


@constant
def passed_unread(name: str) -> str:
    """A `1` for each value of a tuple in the calling frame that needs no copy and no guard on its content, else a `0`.

    Dynamo compiles again when a number or string changes after the trace has read the value; this function reads only
    the type. A container written to by deferred effects alone needs no guard either. An `l` in `numbers` is for a
    container whose length alone is asked for.
    """
    from ..base.torch_names import LazyConstantVariable

    marks = ""
    trace, current = trace_state.local.trace, translator().output.current_tx
    assert trace is not None
    values = current.symbolic_locals[name].unpack_var_sequence(current)
    numbers = current.symbolic_locals["numbers"].as_python_constant()
    for value, mark in zip(values, numbers.ljust(len(values))):
        kind = type(value)
        if kind is LazyConstantVariable and not value.is_realized():
            value.python_type()
            marks += "1"
        else:
            is_safe = kind.__name__ == "ConstantVariable" or object_writes.shown_later(trace, value, mark == "l")
            marks += "1" if is_safe else "0"
    receivers.note_copies(trace, values, numbers, marks)
    return marks


@constant
def undeferrable(name: str) -> str:
    """The reason why a sink of the calling frame cannot run later; empty if it can."""
    trace = trace_state.local.trace
    assert trace is not None
    if trace.ignored_errors:
        return "it stands where it is said what NumPy tells of numbers"
    current = translator().output.current_tx
    code = current.symbolic_locals[name].get_code()
    shown = SHOWN.of(trace)
    shown.texts, shown.asks = exceptions.shows_texts(code), identity_guard.computes(code)
    site = current.symbolic_locals["site"].as_python_constant()
    receivers.note(trace, site, current.symbolic_locals[name], shown_values(current))
    return identity_guard.unsafe_sink(code, trace, current) or ""


@constant
def note_event(key: str, name: str) -> bool:
    """Note an event of the calling frame, and give all runs of the statement the same function object as sink."""
    trace = trace_state.local.trace
    assert trace is not None
    output = translator().output
    names = output.current_tx.symbolic_locals
    if identity_guard.shows_whole(names[name].get_code()):
        SHOWN.of(trace).whole.add(key)
    names[name] = made_once(names[name])
    undo_log.watch(trace, output)
    return True


def made_once(variable: Any) -> Any:
    """Dynamo's variable for a nested function without free variables, as a constant of the enclosing code."""
    from ..base.torch_names import NestedUserFunctionVariable, UserFunctionVariable

    parts = ("closure", "defaults", "kwdefaults", "wrapped_fn")
    if type(variable) is not NestedUserFunctionVariable or any(getattr(variable, part, None) for part in parts):
        return variable
    code = variable.get_code()
    constant_function = UserFunctionVariable(types.FunctionType(code, variable.f_globals, code.co_name))
    constant_function.reconstruct = lambda cg: cg.append_output(cg.create_load_const_unchecked(constant_function.fn))
    return constant_function


@constant
def changeable(name: str) -> str:
    """The reason why a value of the calling frame cannot be kept for a deferred effect; empty if it can."""
    trace, current = trace_state.local.trace, translator().output.current_tx
    assert trace is not None
    return identity_guard.unsafe_value(current.symbolic_locals[name].realize(), current, SHOWN.of(trace).asks) or ""


def shown_values(current: Any) -> list[Any]:
    """The values shown by the effect in the calling frame, as Dynamo's variables."""
    return list(current.symbolic_locals["values"].unpack_var_sequence(current))
