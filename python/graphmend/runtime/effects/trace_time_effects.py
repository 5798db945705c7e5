"""Functions that Dynamo runs for real while it traces a deferred effect; their results are constants of the graph."""

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
from . import exceptions, object_writes, receivers, undo_log


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
    """The key under which the callers of the mended statement are noted."""
    return call_stack.note_stack(translator().output.current_tx, levels)


@constant
def is_followed(site: str) -> bool:
    """Whether the record of the calling frame is in an object of this call: the trace follows what is written to it."""
    trace = trace_state.local.trace
    current = translator().output.current_tx
    roots = current.symbolic_locals["roots"].unpack_var_sequence(current)
    assert trace is not None
    if trace.open or not roots or roots[0].source is not None:
        return False
    if not object_writes.has_record(trace, site):
        trace.touched.pop(site, None)  # nothing is mended there
    return True


@constant
def keeps_objects(site: str, name: str, numbers: str, action: str) -> bool:
    """Whether a record keeps anything but numbers and texts where the source does not tell: the trace follows it then.

    `numbers` has a `v` for each of the values of this name that its source tells nothing of. Containers of numbers and
    texts that the call has made may be kept where they are put into the object as they are. It has a `c` where items
    are taken out: they may be in any container.
    """
    trace, current = trace_state.local.trace, translator().output.current_tx
    assert trace is not None
    shown = SHOWN.of(trace)
    shown.shares = False
    if "v" not in numbers and "c" not in numbers:
        return False
    values = current.symbolic_locals[name].unpack_var_sequence(current)
    kept = [(value, mark) for value, mark in zip(values, numbers) if not object_writes.is_number_or_text(value)]
    made = [value for value, mark in kept if mark == "v"]
    shown.shares = bool(made)
    shared = not made or object_writes.keeps_itself(action, current.symbolic_locals["sink"].get_code())
    flat = all(object_writes.holds_numbers(value) for value, mark in kept if mark == "c")
    if shared and flat and all(map(object_writes.is_made_of_numbers, made)):
        return False
    trace.touched.pop(site, None)
    return True


@constant
def prints_elsewhere(name: str, numbers: str) -> bool:
    """Whether one of the values of this name marked with `f` is no stream that a trace can do nothing with but print.

    Such are None, text files from before the call, and whatever is a standard stream now.
    """
    current = translator().output.current_tx
    values = current.symbolic_locals[name].unpack_var_sequence(current)
    return any(mark == "f" and not is_stream(value.realize()) for value, mark in zip(values, numbers))


def is_stream(variable: Any) -> bool:
    """Whether a variable of Dynamo's is such a stream; the graph is for no other than that one."""
    from ..base.torch_names import GuardBuilder, install_guard

    if variable.source is None or variable.is_constant_none():
        return bool(variable.is_constant_none())
    if variable.python_type() in (io.StringIO, io.TextIOWrapper):
        return True
    install_guard(variable.source.make_guard(GuardBuilder.ID_MATCH))
    return any(getattr(variable, "value", None) is stream for stream in (sys.stdout, sys.stderr))


@constant
def unrecordable(site: str, path: str, action: str) -> str:
    """Why the record of the calling frame cannot be postponed; empty if it can."""
    trace = trace_state.local.trace
    assert trace is not None
    shown = SHOWN.of(trace)
    shown.texts, shown.asks = False, True
    return object_writes.unsafe(trace, translator().output.current_tx, site, path, action, shown.shares) or ""


@constant
def is_later(name: str) -> bool:
    """Whether the value of this name in the calling frame is a clock reading behind the graph."""
    from .deferred_values import Later, has_readings

    trace = trace_state.local.trace
    assert trace is not None
    variable = translator().output.current_tx.symbolic_locals[name]
    return has_readings(trace) and getattr(variable.realize(), "value_type", None) is Later


@constant
def untouched(name: str) -> str:
    """Which values of a tuple in the calling frame can be handed on without being looked at: one `1` or `0` each.

    Dynamo compiles again when a number or string changes whose value the trace has asked for; here only the type
    is asked for. So it is with a container that nobody but deferred work writes to.
    """
    from ..base.torch_names import LazyConstantVariable

    found = ""
    trace, current = trace_state.local.trace, translator().output.current_tx
    assert trace is not None
    values = current.symbolic_locals[name].unpack_var_sequence(current)
    for value in values:
        kind = type(value)
        if kind is LazyConstantVariable and not value.is_realized():
            value.python_type()
            found += "1"
        else:
            whole = kind.__name__ == "ConstantVariable" or object_writes.shown_later(trace, value)
            found += "1" if whole else "0"
    receivers.note_copies(trace, values, current.symbolic_locals["numbers"].as_python_constant(), found)
    return found


@constant
def postponed(name: str) -> str:
    """Why the sink of this name in the calling frame cannot run later; empty if it can."""
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
    """Note an event whose sink has this name in the calling frame, and have one function stand for all its calls."""
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
    """Dynamo's variable for a nested function that reads nothing of its frame: a constant of the code."""
    from ..base.torch_names import NestedUserFunctionVariable, UserFunctionVariable

    parts = ("closure", "defaults", "kwdefaults", "wrapped_fn")
    if type(variable) is not NestedUserFunctionVariable or any(getattr(variable, part, None) for part in parts):
        return variable
    code = variable.get_code()
    made = UserFunctionVariable(types.FunctionType(code, variable.f_globals, code.co_name))
    made.reconstruct = lambda cg: cg.append_output(cg.create_load_const_unchecked(made.fn))
    return made


@constant
def changeable(name: str) -> str:
    """Why the value of this name in the calling frame cannot be kept for later; empty if it can."""
    trace, current = trace_state.local.trace, translator().output.current_tx
    assert trace is not None
    return identity_guard.unsafe_value(current.symbolic_locals[name].realize(), current, SHOWN.of(trace).asks) or ""


def shown_values(current: Any) -> list[Any]:
    """Dynamo's variables of what the calling frame shows."""
    return list(current.symbolic_locals["values"].unpack_var_sequence(current))


@constant
def is_shown_exception(name: str) -> bool:
    """Whether this name of the calling frame is an exception of the call, of which an effect shows the text alone."""
    trace = trace_state.local.trace
    assert trace is not None
    return SHOWN.of(trace).texts and exceptions.is_made(
        trace, translator().output.current_tx.symbolic_locals[name].realize()
    )
