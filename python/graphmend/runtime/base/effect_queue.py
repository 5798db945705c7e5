"""The effect queue: the way of deferred effects from a graph to the wrapper.

    print("step", n)                  # traced: local.queue.append((print, mode, site, "step", n))
    return model(x)                   # Dynamo's code would build the list in every call

All parts of an event are constants, apart from the values that the graph computes. So the code around the graph has a
`Work` as a constant, and stores one tuple: `local.waiting[0] = (work, values of event 1, values of event 2, ...)`.
Every instruction counts here.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Optional

from . import trace_state
from .dynamo_values import source_name
from .owned_state import OwnedState

DYNAMIC = object()  # stands for a value that exists only when the graph has run
INDENT = object()  # in place of a sink: the following events belong to one side of a branch
DEDENT = object()


class Work:
    """The deferred effects of a graph. A call hands over a tuple of the `Work` and of the values of every event.

    `sinks` has, for each event, the position of its values and the function to call. `mode` is the gradient mode of all
    events; None if the modes differ, or if some events belong to one side of a branch. `modes` and `sites` are by
    position. `receivers` are the streams and handlers that show the events, None without any. `undoes`: the graph, or
    the code around the graph, notes how to undo the call. `fills`: the places of the result for values read behind the
    graph. `complete` sets these three.
    """

    def __init__(self, events: list[tuple[Any, Any, Any]]) -> None:
        self.sinks = tuple((i + 1, sink) for i, (sink, _, _) in enumerate(events))
        self.functions = frozenset(sink for sink, _, _ in events)
        self.modes = (None, *(mode for _, mode, _ in events))
        self.sites = (None, *(site for _, _, site in events))
        modes = set(self.modes[1:])
        self.mode: Optional[bool] = modes.pop() if len(modes) == 1 else None
        self.undoes = True
        self.fills: Any = None
        self.receivers: Any = None

    def complete(self, undoes: bool, fills: Any, receivers: Any) -> None:
        """Set the parts that are known at the end of the trace."""
        self.undoes, self.fills, self.receivers = undoes, fills, receivers


@dataclasses.dataclass
class HandOver:
    """The deferred work of one trace."""

    work: Optional[Work] = None  # the work that the code around the graph hands over


HAND_OVER = OwnedState(__name__, HandOver)


def work_of(trace: trace_state.Trace) -> Optional[Work]:
    """The deferred work of a trace; None where nothing is deferred."""
    return HAND_OVER.of(trace).work


def apply(function: Callable[..., None], *values: Any) -> None:
    """The sink of an event whose function is the first value."""
    function(*values)


def is_queue(var: Any) -> bool:
    """Whether a variable of Dynamo is the effect queue."""
    from .torch_names import AttrSource

    return isinstance(var.source, AttrSource) and source_name(var.source).endswith(trace_state.QUEUE_SOURCE)


def constant_of(var: Any) -> Any:
    """The value of a variable if the same in every call, else DYNAMIC; adds no guard."""
    kind = type(var).__name__
    if kind == "ConstantVariable":
        return var.value
    if kind not in ("TupleVariable", "SizeVariable") or var.source is not None:
        return DYNAMIC
    items = [constant_of(item) for item in var.items]
    if any(item is DYNAMIC for item in items):
        return DYNAMIC
    return tuple(items) if kind == "TupleVariable" else var.python_type()(items)


def event_of(var: Any) -> tuple[Any, Any, Any, list[Any]]:
    """Sink, gradient mode, site and values of one event; the values are variables of Dynamo."""
    if type(var).__name__ == "ConstantVariable":
        return DEDENT, None, None, []
    items = var.items
    if len(items) == 2:
        return INDENT, None, None, items
    mode, site = constant_of(items[2]), constant_of(items[3])
    if type(items[1]).__name__ == "UserFunctionVariable":
        return items[1].fn, mode, site, items[4:]
    return apply, mode, site, [items[1], *items[4:]]


def hand_over(trace: trace_state.Trace, var: Any, cg: Any) -> None:
    """Emit the instructions that hand the events of the queue over to the wrapper."""
    from .torch_names import create_instruction

    events = [event_of(item) for item in var.items]
    work = HAND_OVER.of(trace).work = Work([event[:3] for event in events])
    constants = [tuple(constant_of(value) for value in values) for _, _, _, values in events]
    if any(value is DYNAMIC for values in constants for value in values):
        cg.append_output(cg.create_load_const_unchecked(work))
        for (_, _, _, values), event_constants in zip(events, constants):
            if any(value is DYNAMIC for value in event_constants):
                cg.foreach(values)
                cg.append_output(create_instruction("BUILD_TUPLE", arg=len(values)))
            else:
                cg.append_output(cg.create_load_const_unchecked(event_constants))
        cg.append_output(create_instruction("BUILD_TUPLE", arg=len(events) + 1))
    else:
        cg.append_output(cg.create_load_const_unchecked((work, *constants)))
    cg.clear_tos()
    cg.load_import_from(trace_state.__name__, "local")
    cg.load_attr("waiting")
    cg.append_output(cg.create_load_const(0))
    cg.append_output(create_instruction("STORE_SUBSCR"))
    cg.clear_tos()
