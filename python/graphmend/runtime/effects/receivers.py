"""Receivers of deferred effects: streams, log handlers, filters, formatters, `warnings.showwarning`.

    class Counting(logging.Handler):
        def emit(self, record):
            self.model.seen += 1       # the call may read `seen` before the deferred record arrives

A receiver written in Python may read changes of the call, and the call may read changes of the receiver. An effect is
deferred only if the code reachable from its receivers shares no object with the call. The program may replace receivers
while a graph lives, so the flush checks the receivers again.
"""

from __future__ import annotations

import dataclasses
import dis
import logging
import sys
import types
import warnings
import weakref
from typing import Any, Callable, Optional

from ..analysis.receiver_reach import reach_of_receivers
from ..analysis.record_keepers import keeps_records, methods_of
from ..base import trace_state
from ..base.dynamo_values import handles_exception, is_unread, real, translator
from ..base.owned_state import OwnedState
from ..capture.identity_guard import NO_STEPS, loaded_parameters, loads_of_names
from .object_writes import HANDLES, loads_of, lookup_target

SEES = "what receives the effect may see the call, or be seen by it: {}"
KEEPS = "a receiver may keep the record, whose tensors and containers would be copies"
SHOWERS = (logging.Logger, logging.LoggerAdapter)
TAKEN_APART = ("LOAD_ATTR", "LOAD_METHOD", "FORMAT_", "BINARY_", "COMPARE_OP")
MADE_IN_PLACE = "_gm_a"  # prefix of sink parameters for the results of calls, written by the core
LOOKED_UP = frozenset(["getLogger", "getChild"])  # functions that return a logger unnamed in the sink
STREAMS, LOGS, WARNINGS, FILES = "GM301", "GM302", "GM303", "GM305"


class Receivers:
    """The receivers of the effects of one trace, and the objects known to the trace by identity.

    `loaded` are objects loaded by the call, `read` objects with an attribute read by the call, and `stored` names of
    attributes set by the call. The call may load a stream only to pass the stream to `print`: loaded, and not read.
    """

    def __init__(self) -> None:
        self.sites: dict[str, None] = {}
        self.kinds: set[str] = set()
        self.loggers: list[Any] = []
        self.adapters: list[Any] = []
        self.files: list[Any] = []
        self.shown: Any = None  # the code of the latest logging sink, until `note_copies` has read its values
        self.copies = False  # whether a log record holds copies of the program's objects
        self.loaded: frozenset[int] = frozenset()
        self.read: frozenset[int] = frozenset()
        self.stored: frozenset[str] = frozenset()
        self.handling = False  # whether an effect stands in an exception handler
        self.known: list[Callable[[], Any]] = []  # weak references to the checked receivers

    def present(self) -> list[Any]:
        """All receivers at present. Each call with effects runs this function, so its steps cost time."""
        receivers: list[Any] = [*self.files, *self.adapters]
        if self.kinds != {LOGS}:
            receivers += (sys.stdout, sys.stderr, warnings.showwarning, warnings.formatwarning)
        if self.loggers:
            receivers += (logging.getLogRecordFactory(), logging.lastResort)
        walked: Optional[set[int]] = None
        if self.loggers[1:]:
            walked = set()  # loggers share their parents: all loggers of a process are hundreds
        for logger in self.loggers:
            receivers += logger.filters
            while logger is not None:
                if walked is not None:
                    if id(logger) in walked:
                        break
                    walked.add(id(logger))
                receivers += (logger,)
                for handler in logger.handlers:
                    receivers += (handler, handler.formatter, *handler.filters)
                    if isinstance(handler, logging.StreamHandler):
                        receivers += (handler.stream,)
                logger = logger.parent if logger.propagate else None
        return receivers

    def meet(self) -> Optional[str]:
        """The reason why the call and its receivers may notice each other; None if neither can."""
        receivers = self.present()
        reason, reach = reach_of_receivers(receivers)
        if reason is None:
            roots = set(map(id, receivers))
            if not reach.ids.isdisjoint(self.read) or not (reach.ids - roots).isdisjoint(self.loaded):
                reason = "an object of theirs is used in the call"
            elif not reach.names.isdisjoint(self.stored):
                reason = "the call sets what they read"
            elif self.handling and reach.handles:
                reason = HANDLES
            elif self.copies and any(map(keeps_records, receivers)):
                reason = KEEPS
        if reason is None:
            self.known = [reference(value) for value in receivers]
        return reason

    def hold(self) -> bool:
        """Whether the effects of the call may still be deferred: the receivers are unchanged, or new receivers pass the
        check.
        """
        receivers, known = self.present(), self.known
        if len(receivers) == len(known):
            for value, refer in zip(receivers, known):
                if refer() is not value:
                    break
            else:
                return True
        return self.meet() is None


@dataclasses.dataclass
class Noted:
    """The receivers of one trace."""

    receivers: Optional[Receivers] = None  # those of all deferred effects; None where nothing is shown


NOTED = OwnedState(__name__, Noted)


def receivers_of(trace: trace_state.Trace) -> Optional[Receivers]:
    """The receivers of the deferred effects of a trace; None where nothing is shown."""
    return NOTED.of(trace).receivers


def reference(value: Any) -> Callable[[], Any]:
    """A weak reference to a receiver; for objects without weak references, a function that never returns
    the receiver.
    """
    try:
        return weakref.ref(value) if value is not None else nobody
    except TypeError:
        return object


def nobody() -> None:
    """The reference to None."""


def note(trace: Any, site: str, sink: Any, values: list[Any]) -> None:
    """Note a deferred effect with its sink and its shown values, as Dynamo's variables."""
    noted = NOTED.of(trace)
    receivers = noted.receivers = noted.receivers or Receivers()
    receivers.sites[site] = None
    receivers.handling = receivers.handling or handles_exception(translator().output.current_tx)
    kind = trace_state.rule_of(site)
    receivers.kinds.add(kind)
    objects = [value for value in map(object_behind, values) if value is not None]
    if kind == STREAMS:
        receivers.files += [value for value in objects if hasattr(type(value), "write")]
    elif kind != FILES:  # nothing logs where Python writes a file
        adapters, loggers = loggers_of(kind, sink, objects)
        receivers.adapters += adapters
        receivers.loggers += loggers
    receivers.shown = sink.get_code() if kind == LOGS else None


def raw_parameters(code: types.CodeType) -> set[str]:
    """The parameters passed by a sink to the logger unchanged, neither as text nor in parts.

    A comprehension passes parts of a parameter if it takes each item apart (`[loss.item() for loss in losses]`). A
    parameter loaded by a nested function counts as passed unchanged.
    """
    taken = (*TAKEN_APART, "GET_ITER") if takes_items_apart(code) else TAKEN_APART
    raw = {name for name, following in loaded_parameters(code) if not is_taken(following, taken)}
    return raw.union(code.co_cellvars)


def is_taken(following: list[dis.Instruction], names: tuple[str, ...]) -> bool:
    """Whether the step behind a load is an instruction whose name begins like one of `names`."""
    return bool(following) and following[0].opname.startswith(names)


def takes_items_apart(code: types.CodeType) -> bool:
    """Whether each loop of a sink, and of its comprehensions, uses its items only in parts."""
    steps = [step for step in dis.get_instructions(code) if step.opname not in NO_STEPS]
    stores = [after for step, after in zip(steps, steps[1:]) if step.opname == "FOR_ITER"]
    if not all(store.opname.startswith("STORE_FAST") for store in stores):
        return False
    items = frozenset(store.argval[0] if isinstance(store.argval, tuple) else store.argval for store in stores)
    parts = all(is_taken(following, TAKEN_APART) for _, following in loads_of_names(code, items))
    nested = [value for value in code.co_consts if isinstance(value, types.CodeType)]
    return parts and all(map(takes_items_apart, nested))


def note_copies(trace: Any, values: list[Any], numbers: str, fixed: str) -> None:
    """Note whether the log record of the latest effect gets copies of the program's objects.

    `numbers` has a `1` for each value read only for its numbers, `fixed` has a `1` for each value passed without a
    copy.
    """
    receivers = receivers_of(trace)
    code = receivers.shown if receivers is not None else None
    if receivers is None or code is None:
        return
    receivers.shown = None
    raw = raw_parameters(code)
    marks = zip(numbers.ljust(len(values)), fixed)
    names = (name for name, mark in zip(code.co_varnames, marks) if name in raw and "1" not in mark)
    table = dict(zip(code.co_varnames, values))
    receivers.copies = receivers.copies or any(is_copied(name, table[name]) for name in names)


def is_copied(name: str, variable: Any) -> bool:
    """Whether the program could tell the copy of a sink's parameter from the original, given Dynamo's variable.

    A container made by a call inside the statement is known to no other code, so its copy is safe, and so is a copy of
    a tuple of constants. A number is no copy of the tensor that it was computed from.
    """
    from ..base.torch_names import SymNodeVariable, VariableTracker

    variable = variable.realize()
    parts: list[Any] = []
    VariableTracker.visit(parts.append, variable)
    numbers = {id(source) for part in parts if isinstance(part, SymNodeVariable) for source in vars(part).values()}
    if any(part.is_tensor() and id(part) not in numbers for part in parts):
        return True
    is_fresh = name.startswith(MADE_IN_PLACE) and variable.source is None
    is_fixed = variable.python_type() is tuple and variable.is_python_constant()
    return variable.python_type() in (list, tuple, dict, set) and not (is_fresh or is_fixed)


def object_behind(variable: Any) -> Any:
    """The stream or logger behind Dynamo's variable, found with no guard beyond the type."""
    from ..base.torch_names import LazyConstantVariable, TensorVariable

    if type(variable) is LazyConstantVariable:
        return None
    if is_unread(variable):
        value = variable.original_value()
    else:
        variable = variable.realize()
        has_object = variable.source is not None and not isinstance(variable, TensorVariable)
        value = real(variable) if has_object else None
    return value if isinstance(value, SHOWERS) or hasattr(type(value), "write") else None


def loggers_of(kind: str, sink: Any, objects: list[Any]) -> tuple[list[Any], list[Any]]:
    """The adapters and the loggers within reach of an effect: those named by the sink, else the root logger, and the
    logger of warnings.
    """
    names = sink.get_code().co_names
    globals_named = [sink.get_globals().get(name) for name in names]
    adapters: list[Any] = []
    loggers: list[Any] = []
    for value in [*objects, *globals_named]:
        while isinstance(value, logging.LoggerAdapter):  # an adapter may have another one as its logger
            adapters.append(value)
            value = value.logger
        if isinstance(value, logging.Logger):
            loggers.append(value)
        elif value is logging:
            loggers.append(logging.root)
    if kind == WARNINGS:
        loggers.append(logging.getLogger("py.warnings"))
    elif not loggers or not LOOKED_UP.isdisjoint([*names, *names_in_methods(adapters)]):
        registered = logging.root.manager.loggerDict.values()
        loggers += [logging.root, *(value for value in registered if isinstance(value, logging.Logger))]
    return adapters, loggers


def names_in_methods(adapters: list[Any]) -> set[str]:
    """The names in the code of the methods that the program's classes of adapters have."""
    members = (member for value in adapters for member in methods_of(value).values())
    return {name for member in members for name in member.__code__.co_names}


def refuse_seen(trace: Any, output: Any) -> None:
    """Refuse deferred effects whose receivers may notice the call, or be noticed by the call."""
    receivers = receivers_of(trace)
    if receivers is None:
        return
    loads = loads_of(trace)
    loads.resolve()
    read = {id(lookup_target(variable, output)) for variables in loads.lookups.values() for variable in variables}
    receivers.loaded = frozenset(loads.sources)
    receivers.read = frozenset(read | loads.tables.keys())
    changed = output.side_effects.store_attr_mutations.values()
    receivers.stored = frozenset(name for names in changed for name in names)
    reason = receivers.meet()
    if reason is not None:
        for site in receivers.sites:
            trace.refuse(site, SEES.format(reason))
        raise trace_state.SiteRefused(SEES.format(reason))
