"""Who receives a deferred effect: streams, handlers, filters, formatters, `showwarning`.

A receiver with code of the program's own may look at what the call changes, and the call may look at what the receiver
writes to. An effect is deferred only where neither can tell: nothing that the code of its receivers may come by is
loaded or written to in the call. Receivers may be replaced while a graph lives, so the deferred work asks again.
"""

from __future__ import annotations

import dataclasses
import logging
import sys
import types
import warnings
import weakref
from typing import Any, Callable, Optional

from ..analysis.receiver_reach import reached
from ..analysis.record_keepers import keeps_records
from ..base import trace_state
from ..base.dynamo_values import handles_exception, real, translator
from ..base.owned_state import OwnedState
from ..capture.identity_guard import loaded_parameters
from .object_writes import HANDLES, asked_object, loads_of

SEES = "what receives the effect may see the call, or be seen by it: {}"
KEEPS = "a receiver may keep the record, whose tensors and containers would be copies"
SHOWERS = (logging.Logger, logging.LoggerAdapter)
TAKEN_APART = ("LOAD_ATTR", "LOAD_METHOD", "FORMAT_", "BINARY_", "COMPARE_OP")
MADE_IN_PLACE = "_gm_a"  # how the core names parameters that stand for calls
LOOKED_UP = frozenset(["getLogger", "getChild"])  # what gives a logger that the sink does not name
STREAMS, LOGS, WARNINGS = "GM301", "GM302", "GM303"


class Receivers:
    """The receivers of the effects of one trace, and what the trace knows by identity.

    `loaded` are the objects that the call has come by, `asked` those that it has looked into, `stored` the names that
    it sets. A stream may be loaded to be handed to `print`; nobody has looked into it by that.
    """

    def __init__(self) -> None:
        self.sites: dict[str, None] = {}
        self.kinds: set[str] = set()
        self.loggers: list[Any] = []
        self.files: list[Any] = []
        self.shown: Any = None  # the code of a sink that logs, until it is known what is copied for it
        self.copies = False  # whether a log record holds copies of what the program has shown
        self.loaded: frozenset[int] = frozenset()
        self.asked: frozenset[int] = frozenset()
        self.stored: frozenset[str] = frozenset()
        self.handling = False  # whether an effect is shown while an exception is being handled
        self.known: list[Callable[[], Any]] = []  # weak references to the receivers that were looked at

    def present(self) -> list[Any]:
        """All receivers as they are now. It is on the way of every call that shows something."""
        found: list[Any] = [*self.files]
        if self.kinds != {LOGS}:
            found += (sys.stdout, sys.stderr, warnings.showwarning, warnings.formatwarning)
        if self.loggers:
            found += (logging.getLogRecordFactory(), logging.lastResort)
        for logger in self.loggers:
            found += logger.filters
            while logger is not None:
                found += (logger,)
                for handler in logger.handlers:
                    found += (handler, handler.formatter, *handler.filters)
                    if isinstance(handler, logging.StreamHandler):
                        found += (handler.stream,)
                logger = logger.parent if logger.propagate else None
        return found

    def meet(self) -> Optional[str]:
        """Why the call and its receivers may see each other; None if they cannot."""
        found = self.present()
        reason, reach = reached(found)
        if reason is None:
            roots = set(map(id, found))
            if not reach.ids.isdisjoint(self.asked) or not (reach.ids - roots).isdisjoint(self.loaded):
                reason = "an object of theirs is used in the call"
            elif not reach.names.isdisjoint(self.stored):
                reason = "the call sets what they read"
            elif self.handling and reach.handles:
                reason = HANDLES
            elif self.copies and any(map(keeps_records, found)):
                reason = KEEPS
        if reason is None:
            self.known = [reference(value) for value in found]
        return reason

    def hold(self) -> bool:
        """Whether the receivers are still such that the effects of the call may come later."""
        found, known = self.present(), self.known
        if len(found) == len(known):
            for value, refer in zip(found, known):
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
    """A weak reference; to an object that has none, one that never finds it."""
    try:
        return weakref.ref(value) if value is not None else nobody
    except TypeError:
        return object


def nobody() -> None:
    """Refers to None."""


def note(trace: Any, site: str, sink: Any, values: list[Any]) -> None:
    """Note that an effect is deferred, by Dynamo's variables of its sink and of what it shows."""
    noted = NOTED.of(trace)
    receivers = noted.receivers = noted.receivers or Receivers()
    receivers.sites[site] = None
    receivers.handling = receivers.handling or handles_exception(translator().output.current_tx)
    kind = trace_state.rule_of(site)
    receivers.kinds.add(kind)
    objects = [value for value in map(object_behind, values) if value is not None]
    if kind == STREAMS:
        receivers.files += [value for value in objects if hasattr(type(value), "write")]
    else:
        receivers.loggers += loggers_of(kind, sink, objects)
    receivers.shown = sink.get_code() if kind == LOGS else None


def raw_parameters(code: types.CodeType) -> set[str]:
    """The parameters of a sink that it hands to the logger as they are, not as a text or as a part of themselves."""
    return {
        name
        for name, following in loaded_parameters(code)
        if not (following and following[0].opname.startswith(TAKEN_APART))
    }


def note_copies(trace: Any, values: list[Any], numbers: str, fixed: str) -> None:
    """Note whether the record of the effect that was noted last gets copies of what it shows.

    `numbers` has a `1` for each value of which numbers alone are read, `fixed` one for each that is no copy.
    """
    receivers = receivers_of(trace)
    code = receivers.shown if receivers is not None else None
    if receivers is None or code is None:
        return
    receivers.shown = None
    whole = raw_parameters(code)
    marks = zip(numbers.ljust(len(values)), fixed)
    names = (name for name, mark in zip(code.co_varnames, marks) if name in whole and "1" not in mark)
    table = dict(zip(code.co_varnames, values))
    receivers.copies = receivers.copies or any(is_copied(name, table[name]) for name in names)


def is_copied(name: str, variable: Any) -> bool:
    """Whether the program may tell a copy from what a parameter of a sink stands for, by its variable of Dynamo's.

    A container that a call in the statement has just made is known to nobody else.
    """
    from ..base.torch_names import VariableTracker

    variable = variable.realize()
    tensors: list[Any] = []
    VariableTracker.visit(lambda part: tensors.append(part) if part.is_tensor() else None, variable)
    is_fresh = name.startswith(MADE_IN_PLACE) and variable.source is None
    return bool(tensors) or (variable.python_type() in (list, tuple, dict, set) and not is_fresh)


def object_behind(variable: Any) -> Any:
    """The stream or logger behind a variable of Dynamo's, without asking for more of it than its type."""
    from ..base.torch_names import LazyConstantVariable, LazyVariableTracker, TensorVariable

    if type(variable) is LazyConstantVariable:
        return None
    if isinstance(variable, LazyVariableTracker) and not variable.is_realized():
        value = variable.original_value()
    else:
        variable = variable.realize()
        known = variable.source is not None and not isinstance(variable, TensorVariable)
        value = real(variable) if known else None
    return value if isinstance(value, SHOWERS) or hasattr(type(value), "write") else None


def loggers_of(kind: str, sink: Any, objects: list[Any]) -> list[Any]:
    """The loggers that an effect may reach: those that it names, the root otherwise, and that of warnings."""
    names = sink.get_code().co_names
    named = [sink.get_globals().get(name) for name in names]
    found: list[Any] = []
    for value in [*objects, *named]:
        if isinstance(value, logging.LoggerAdapter):
            found += (value, value.logger)
        elif isinstance(value, logging.Logger):
            found.append(value)
        elif value is logging:
            found.append(logging.root)
    adapters = [value for value in found if isinstance(value, logging.LoggerAdapter)]
    found = [value for value in found if isinstance(value, logging.Logger)]
    if kind == WARNINGS:
        found.append(logging.getLogger("py.warnings"))
    elif not found or adapters or not LOOKED_UP.isdisjoint(names):
        known = logging.root.manager.loggerDict.values()
        found += [logging.root, *(value for value in known if isinstance(value, logging.Logger))]
    return found


def refuse_seen(trace: Any, output: Any) -> None:
    """Refuse deferred effects whose receivers may see the call, or be seen by it."""
    receivers = receivers_of(trace)
    if receivers is None:
        return
    loads = loads_of(trace)
    loads.resolve()
    asked = {id(asked_object(variable, output)) for looked in loads.looked.values() for variable in looked}
    receivers.loaded = frozenset(loads.sources)
    receivers.asked = frozenset(asked | loads.tables.keys())
    changed = output.side_effects.store_attr_mutations.values()
    receivers.stored = frozenset(name for names in changed for name in names)
    reason = receivers.meet()
    if reason is not None:
        for site in receivers.sites:
            trace.refuse(site, SEES.format(reason))
        raise trace_state.SiteRefused(SEES.format(reason))
