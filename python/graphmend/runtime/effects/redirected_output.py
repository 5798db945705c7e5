"""Redirected output as deferred effects: `redirect_stdout`, `redirect_stderr`, `catch_warnings`, and `io.StringIO`.

    with contextlib.redirect_stdout(io.StringIO()) as text:
        print("loss", loss)                # deferred: printed by the flush
    return y, text.getvalue()              # a deferred string

These blocks act on the effects inside them, and a graph leaves only deferred effects. The flush therefore enters the
block, runs the effects and leaves the block. An `io.StringIO` made by the call is made in the flush, too; during the
trace a placeholder (`Text`) stands for the object, and a deferred value (`deferred_values.py`) for its final text.
"""

from __future__ import annotations

import contextlib
import io
import sys
import warnings
from typing import Any, Callable, Iterator, Optional

import torch
from torch.fx import GraphModule

from ..analysis import branch_proofs, node_facts
from ..analysis.marker_regions import tensor_of
from ..base import call_stack, hooks, trace_state
from ..base.dynamo_values import attribute_of, constant, inline, real, translator
from ..base.effect_queue import event_of, is_queue
from ..base.trace_state import local
from ..capture import trace_time
from ..capture.trace_time import nested_context
from . import undo_log
from .deferred_values import TEXT, DeferredNumber, DeferredText, DeferredValue, note_reading, refuse_readings
from .exceptions import raise_warning


class Blocks:
    """The state of one trace: open blocks, and warnings raised by the trace itself.

    `open` has, for each open block, the number of events before the block. `heard` has the warnings of the trace while
    a block of the program decides which warnings are shown; None without such a block.
    """

    def __init__(self) -> None:
        self.open: list[int] = []
        self.heard: Optional[list[Any]] = None
        self.recorder = contextlib.ExitStack()


FEATURE = hooks.Feature(__name__, hooks.GAIN, "output that a call diverts into texts of its own", state=Blocks)

STREAMS = {contextlib.redirect_stdout: "stdout", contextlib.redirect_stderr: "stderr"}
REDIRECTS = {name: kind for kind, name in STREAMS.items()}
TARGETS = (io.StringIO, io.TextIOWrapper)
FILTERS = (warnings.simplefilter, warnings.filterwarnings, warnings.resetwarnings)
ACTIONS = ("default", "always", "ignore", "module", "once")


# ---- Sinks, called by the flush ----


def enter(manager: Any) -> None:
    """Enter a block."""
    manager.__enter__()
    local.entered.append(manager)


def enter_redirect(name: str, target: Any) -> None:
    """Redirect a stream to a file."""
    enter(REDIRECTS[name](target))


def enter_made(name: str, cell: list[Any]) -> None:
    """Redirect a stream to an `io.StringIO` made by the call."""
    enter(REDIRECTS[name](cell[0]))


def enter_warnings(names: tuple[Any, ...], *options: Any) -> None:
    """Enter `catch_warnings` with these options."""
    enter(warnings.catch_warnings(**dict(zip(names, options))))


def set_filter(function: Callable[..., None], names: tuple[Any, ...], *values: Any) -> None:
    """Call a function that sets a warning filter; the last values are keyword arguments."""
    count = len(values) - len(names)
    function(*values[:count], **dict(zip(names, values[count:])))


def leave() -> None:
    """Leave the innermost block."""
    local.entered.pop().__exit__(None, None, None)


def leave_all() -> None:
    """Leave all blocks, because an effect in the innermost block raised."""
    while local.entered:
        leave()


ENTERS = (enter_redirect, enter_made, enter_warnings)


def make_text(cell: list[Any], *text: str) -> None:
    """Make an `io.StringIO`."""
    cell.append(io.StringIO(*text))


def write_text(results: list[Any], cell: list[Any], text: str) -> None:
    """Write to an `io.StringIO` of the call."""
    results.append(cell[0].write(text))


def read_text(results: list[Any], cell: list[Any]) -> None:
    """Read the text of an `io.StringIO` of the call."""
    results.append(cell[0].getvalue())


def close_text(cell: list[Any]) -> None:
    """Close an `io.StringIO` of the call."""
    cell[0].close()


# ---- Functions that Dynamo traces ----


def postpone(sink: Callable[..., None], *values: Any) -> None:
    """Queue a function for the flush, without a site: a replay in eager Python runs the user's statement again."""
    local.queue.append((local, sink, torch.is_grad_enabled(), None, *values))


class Diverted:
    """A block of the program during the trace; `target` is the value of `with ... as`."""

    def __init__(self, target: Any, sink: Callable[..., None], *values: Any) -> None:
        self.target = target
        self.sink = sink
        self.values = values

    def __enter__(self) -> Any:
        postpone(self.sink, *self.values)
        note_entered("self")
        return self.target

    def __exit__(self, *error: Any) -> None:
        note_left("self")
        postpone(leave)


class Text(DeferredValue):
    """The placeholder for an `io.StringIO` made by the call."""

    def __init__(self, site: str, *text: str) -> None:
        self.site = site
        self.cell: list[Any] = []
        postpone(make_text, self.cell, *text)

    def write(self, text: str) -> DeferredNumber:
        cell: list[Any] = []
        postpone(write_text, cell, self.cell, text)
        return DeferredNumber(self.site, "", (cell,))

    def getvalue(self) -> DeferredText:
        cell: list[Any] = []
        postpone(read_text, cell, self.cell)
        return DeferredText(self.site, "", (cell, TEXT))

    def close(self) -> None:
        postpone(close_text, self.cell)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: Any) -> None:
        postpone(close_text, self.cell)


def redirect(name: str, target: Any) -> Diverted:
    """A block that redirects a stream to a file."""
    return Diverted(target, enter_redirect, name, target)


def redirect_made(name: str, text: Text) -> Diverted:
    """A block that redirects a stream to an `io.StringIO` of the call."""
    return Diverted(text, enter_made, name, text.cell)


def catch(names: tuple[Any, ...], *options: Any) -> Diverted:
    """A block behind which warning filters are as before."""
    return Diverted(None, enter_warnings, names, *options)


def filter_warnings(function: Callable[..., None], names: tuple[Any, ...], *values: Any) -> None:
    """Queue the change of a warning filter."""
    postpone(set_filter, function, names, *values)


def new_text(site: str, *start: str) -> Text:
    """The placeholder for a new `io.StringIO`."""
    return Text(site, *start)


# ---- Functions that Dynamo runs while tracing, and hooks ----


@constant
def note_entered(name: str) -> bool:
    """Note an open block, and the number of events before the block."""
    trace = trace_state.local.trace
    assert trace is not None
    if trace.open:
        raise trace_state.SiteRefused("a side enters a block that diverts what is printed")
    FEATURE.of(trace).open.append(len(events()))
    if sink_of(name) is enter_warnings:
        trace_time.FEATURE.of(trace).enter_warnings()
    return True


@constant
def note_left(name: str) -> bool:
    """Note the end of a block; refuse a block that prints both to an `io.StringIO` of the call and to a file.

    A replay makes the `io.StringIO` anew and repeats only the prints into the new object.
    """
    trace = trace_state.local.trace
    assert trace is not None
    start, sink = FEATURE.of(trace).open.pop(), sink_of(name)
    if sink is enter_warnings:
        trace_time.FEATURE.of(trace).leave_warnings()
    if sink is enter_made:
        for event in events()[start:]:
            sink_printed, _, site, _ = event_of(event)
            if site is not None and prints_elsewhere(site, sink_printed):
                raise trace_state.SiteRefused("a block that diverts what is printed prints to a file, too")
    return True


def sink_of(name: str) -> Any:
    """The sink that enters the block of a variable in the calling frame."""
    current = translator().output.current_tx
    return attribute_of(current, current.symbolic_locals[name], "sink").fn


def prints_elsewhere(site: str, sink: Any) -> bool:
    """Whether an event is a print with a `file` argument."""
    names = (part for part in sink.__code__.co_consts if type(part) is tuple)
    return is_print(site) and any("file" in part for part in names)


def is_print(site: str) -> bool:
    """Whether a site is a print."""
    return trace_state.rule_of(site) == "GM301"


def events() -> list[Any]:
    """The deferred events of the trace so far, as Dynamo's variables."""
    effects = translator().output.side_effects
    return next((var.items for var in effects.id_to_variable.values() if is_queue(var)), [])


@FEATURE.hook("class.call")
def make_object(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Put placeholders in place of new blocks and new `io.StringIO` objects."""
    if self.value in STREAMS and len(args) == 1 and not kwargs:
        return redirect_block(trace, tx, STREAMS[self.value], args[0].realize())
    if self.value is warnings.catch_warnings and not args:
        return warnings_block(trace, tx, kwargs)
    if self.value is io.StringIO and len(args) < 2 and not kwargs and all(map(is_text, args)):
        site = call_stack.site_at(tx, "GM501", call_stack.column_at(tx))
        if site not in trace.off and not trace.open:
            note_reading(trace, site)
            return traced_call(trace, tx, new_text, site, *args)
    return hooks.DECLINED


@FEATURE.scope
def stop_recording(trace: trace_state.Trace) -> Iterator[None]:
    """Stop the recording of warnings at the end of the trace."""
    try:
        yield
    finally:
        FEATURE.of(trace).recorder.close()


@FEATURE.hook("function.call")
def call_filter(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Queue calls of functions that change warning filters."""
    if trace_time.FEATURE.of(trace).raising and getattr(self, "fn", None) in FILTERS:
        return queue_filter(trace, tx, self, args, kwargs)
    return hooks.DECLINED


@FEATURE.hook("skipped.call")
def raise_warning_at(skip: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Raise the warning of `warnings.warn` where filters turn warnings into exceptions."""
    if (
        trace_time.FEATURE.of(trace).is_raising()
        and self.value is warnings.warn
        and is_category(*args[1:2], *option_value(kwargs, "category"))
    ):
        return inline(tx, raise_warning, args, kwargs)
    return hooks.DECLINED


@FEATURE.hook("module.getattr")
def read_stream(read_module: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Refuse a read of a stream or filter inside a block that changes the stream or filter."""
    if FEATURE.of(trace).open and (
        (self.value is sys and name in REDIRECTS) or (self.value is warnings and name in HELD)
    ):
        raise trace_state.SiteRefused(f"`{name}` is asked for in a block that changes it")
    return hooks.DECLINED


def traced_call(trace: trace_state.Trace, tx: Any, function: Any, *values: Any) -> Any:
    """Dynamo's variable for the result of a function of this file."""
    from ..base.torch_names import VariableTracker

    if nested_context() is not None:
        raise trace_state.SiteRefused("what is shown is diverted inside of an operator")
    undo_log.watch(trace, tx.output)
    variables = [value if isinstance(value, VariableTracker) else VariableTracker.build(tx, value) for value in values]
    return inline(tx, function, variables, {})


def redirect_block(trace: trace_state.Trace, tx: Any, name: str, target: Any) -> Any:
    """The variable of a block that redirects a stream."""
    if name == "stderr":
        hear(trace)
    if is_made(target):
        return traced_call(trace, tx, redirect_made, name, target)
    is_supported = target.is_constant_none() or type(real(target)) in TARGETS
    if not is_supported:
        raise trace_state.SiteRefused("what is printed goes to an object that is no file of Python's")
    return traced_call(trace, tx, redirect, name, target)


def warnings_block(trace: trace_state.Trace, tx: Any, options: dict[str, Any]) -> Any:
    """The variable of a block behind which warning filters are as before."""
    action = options.get("action")
    only_shows = action is None or (action.is_python_constant() and action.as_python_constant() in (None, *ACTIONS))
    if not only_shows or not options.keys() <= {"action", "category", "lineno", "append"}:
        raise trace_state.SiteRefused("warnings are kept, or some of them raised")
    hear(trace)
    return traced_call(trace, tx, catch, tuple(options), *options.values())


def queue_filter(trace: trace_state.Trace, tx: Any, function: Any, args: Any, kwargs: Any) -> Any:
    """Queue the change of a warning filter inside `catch_warnings`."""
    if not all(map(is_plain, (*args, *kwargs.values()))):
        raise trace_state.SiteRefused("it depends which warnings are shown")
    action = next((item.as_python_constant() for item in (*args[:1], *option_value(kwargs, "action"))), None)
    place = trace_time.FEATURE.of(trace)
    if function.fn is warnings.simplefilter and action == "error" and len(args) + len(kwargs) == 1:
        place.raise_warnings()
    elif place.is_raising() or action not in (None, *ACTIONS):
        raise trace_state.SiteRefused("some warnings are raised")
    return traced_call(trace, tx, filter_warnings, function, tuple(kwargs), *args, *kwargs.values())


def option_value(options: dict[str, Any], name: str) -> list[Any]:
    """The value of an option as a list, empty without the option."""
    return [options[name]] if name in options else []


def is_category(*variables: Any) -> bool:
    """Whether variables are warning classes, or None."""
    values = [item.as_python_constant() if item.is_python_constant() else 0 for item in variables]
    return all(value is None or (isinstance(value, type) and issubclass(value, Warning)) for value in values)


def is_plain(variable: Any) -> bool:
    """Whether a variable is a constant, or a class from before the call."""
    return bool(variable.is_python_constant())


def is_made(variable: Any) -> bool:
    """Whether a variable is the placeholder for an `io.StringIO` of the call."""
    return getattr(variable, "value_type", None) is Text


def is_text(variable: Any) -> bool:
    """Whether a variable is a string known to the trace."""
    return bool(variable.is_python_constant()) and type(variable.as_python_constant()) is str


def hear(trace: trace_state.Trace) -> None:
    """Record the warnings of the trace from here on: in eager Python, the block of the program would filter them."""
    blocks = FEATURE.of(trace)
    if blocks.heard is None:
        blocks.heard = blocks.recorder.enter_context(warnings.catch_warnings(record=True))
        warnings.simplefilter("always")


def refuse_all(trace: trace_state.Trace, reason: str) -> None:
    """Refuse all deferred values of the trace."""
    refuse_readings(trace, reason)
    raise trace_state.SiteRefused(reason)


def refuse_kept(trace: trace_state.Trace, output: Any) -> None:
    """Refuse `io.StringIO` objects that outlive the call, and blocks that the program leaves open."""
    if FEATURE.of(trace).open:
        raise trace_state.SiteRefused("a block that diverts what is printed is left open")
    for variable in output.side_effects.id_to_variable.values():
        if is_made(variable):
            refuse_all(trace, "a text that the call makes is kept, or returned")


def silent(
    compiled: Callable[..., Any], module: GraphModule, trace: trace_state.Trace, guarded: bool
) -> Callable[..., Any]:
    """A compiled graph that shows no warnings of its own where the program sets the filters; else the graph itself.

    A warning of the graph makes the call run again in eager Python.
    """
    trace_warnings = FEATURE.of(trace).heard
    if trace_warnings is None:
        return compiled
    if trace_warnings:
        raise trace_state.SiteRefused("an operator warns where the program says which warnings are shown")
    order = branch_proofs.Order(module)
    for node in module.graph.find_nodes(op="placeholder"):
        storage = node_facts.storage_of(tensor_of(node))
        if storage is not None and order.written_after(storage, node):
            raise trace_state.SiteRefused(
                "the graph changes what it is given where the program says which warnings are shown"
            )

    def run(*inputs: Any) -> Any:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            result = compiled(*inputs)
        if not heard:
            return result
        if guarded:
            raise RuntimeError
        raise trace_state.GuardFailed(None)

    return run


HELD = ("filters", "showwarning", "_showwarnmsg_impl")
