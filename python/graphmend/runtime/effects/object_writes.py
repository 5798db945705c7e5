"""Writes to objects that outlive a call, postponed until the call has ended: nobody may look at the object before.

While a frame is traced, everything that the program loads from outside passes Dynamo's builders of variables. What
they were asked for is noted; a record is good if its object is not among it, and is not written to in another way.
"""

from __future__ import annotations

import collections
import dataclasses
import io
import queue
import re
import types
from typing import Any, Iterator, Optional

import torch

from ..analysis.reachability import NOTHING, Reach, reached
from ..base import hooks, trace_state
from ..base.dynamo_values import handles_exception, source_name
from ..capture.identity_guard import computes, type_of

CONTAINERS = (list, dict, set, bytearray, collections.deque, collections.defaultdict, collections.OrderedDict)
COUNTERS = (collections.Counter,)
KEEPERS = ("append", "appendleft", "insert", "put", "put_nowait", "[]")  # what puts its argument in as it is
QUEUES = (queue.Queue, queue.LifoQueue, queue.PriorityQueue, queue.SimpleQueue)
FILES = (io.StringIO, io.TextIOWrapper, io.BytesIO, io.BufferedWriter)
RECORDERS = (*CONTAINERS, *COUNTERS, *QUEUES, *FILES)
PLAIN_SETTERS = (
    object.__setattr__,
    torch.nn.Module.__setattr__,
    type.__setattr__,
    types.SimpleNamespace.__setattr__,
)
HANDLES = "it may look at the exception that is being handled"
SEEN = "`{}` is looked at, or written to in another way, in the same call"
STORES = "method_setattr_standard"  # what Dynamo sets an attribute of any other object with
SET_ATTRIBUTE = torch.nn.Module.__setattr__.__code__
PLAIN = (type(None), bool, int, float, complex, str, bytes)


@dataclasses.dataclass
class Record:
    """One postponed write: the name by which the object is found, and the object if it is not replaced itself."""

    site: str
    name: str
    is_global: bool
    target: Any
    reach: Reach = NOTHING  # what the write may come by
    owner: Any = None  # the object whose attribute is replaced
    shares: bool = False  # it puts a container in that the call may still change


class Loads:
    """What one trace has loaded from outside: the names of the sources, and the identities of the values."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.sources: dict[int, set[str]] = {}  # by identity of the value
        self.pending: list[tuple[int, Any]] = []  # identities and sources whose names nobody has asked for so far
        self.asked: set[str] = set()  # sources of queues that are asked behind the graph
        self.looked: dict[str, list[Any]] = {}  # by the name of an attribute: variables that were asked for it
        self.tables: dict[int, Any] = {}  # by identity: objects whose `__dict__` the program has in hand
        self.unseen: dict[
            int, list[tuple[int, Any]]
        ] = {}  # by identity of an object: what torch alone has loaded of it

    def add(self, value: Any, source: Any) -> None:
        """Note one value."""
        if source is not None:
            self.pending.append((id(value), source))

    def expect(self, name: str) -> None:
        """Note a source that is asked for behind the graph alone."""
        self.asked.add(name)

    def forget(self, value: Any) -> bool:
        """Take back the latest note on a value; false if there is none."""
        for place in reversed(range(len(self.pending))):
            if self.pending[place][0] == id(value):
                del self.pending[place]
                return True
        return False

    def resolve(self) -> None:
        """Find out what the sources are called; most traces can do without."""
        for number, source in self.pending:
            name = source_name(source).replace(trace_state.QUEUE_SOURCE, "")
            self.names.append(name)
            self.sources.setdefault(number, set()).add(name)
        self.pending.clear()

    def asked_for(self, owner: Any, name: str) -> bool:
        """Whether an object was asked for an attribute, found or not."""
        return any(getattr(variable, "value", None) is owner for variable in self.looked.get(name, ()))

    def looks(self, record: Record, output: Any) -> bool:
        """Whether the attribute that a record sets was asked for, found or not."""
        return any(asks(variable, record, output) for variable in self.looked.get(record.name, ()))

    def have(self, record: Record, output: Any) -> bool:
        """Whether the object of a record is among what was loaded."""
        self.resolve()
        if record.target is not None and self.sources.get(id(record.target), self.asked) - self.asked:
            return True
        if not record.reach.ids.isdisjoint(self.sources):
            return True
        if record.owner is not None and (id(record.owner) in self.tables or self.looks(record, output)):
            return True
        name = re.escape(record.name)
        if record.is_global:
            pattern = re.compile(rf"(^|[^L])\[['\"]{name}['\"]\]|\.{name}\b")
        else:
            pattern = re.compile(rf"\[['\"]{name}['\"]\]|\.{name}\b")
        return any(pattern.search(found) for found in self.names if found not in self.asked)


@dataclasses.dataclass
class Writes:
    """The postponed writes of one trace, and what else the trace does with objects from before the call."""

    hasty: bool = False  # no attempt has refused a site: the first one most often is the only one
    loads: Loads = dataclasses.field(default_factory=Loads)  # the objects that the trace has come by
    records: list[Record] = dataclasses.field(default_factory=list)  # the postponed writes, in program order


FEATURE = hooks.Feature(
    __name__, hooks.GUARD, "what a trace loads from outside", partial=True, state=Writes, rules=("GM3",)
)


def loads_of(trace: trace_state.Trace) -> Loads:
    """The objects that a trace has come by."""
    return FEATURE.of(trace).loads


def has_record(trace: trace_state.Trace, site: str) -> bool:
    """Whether a write of a site is postponed."""
    return any(record.site == site for record in FEATURE.of(trace).records)


@FEATURE.hook("variable.lazy", "variable.lazy_constant", needed=False)
def note_lazy(create: Any, trace: trace_state.Trace, value: Any, source: Any, **options: Any) -> Any:
    """Note a value for which a variable is made that nobody has asked for yet."""
    loads_of(trace).add(value, source)
    return create(value, source, **options)


@FEATURE.hook("variable.build")
def note_build(build: Any, trace: trace_state.Trace, self: Any, value: Any) -> Any:
    """Note a value that a variable is built for."""
    loads_of(trace).add(value, self.source)
    return build(self, value)


@FEATURE.hook(
    "super.getattr",
    "class.getattr",
    "class.hasattr",
    "object.getattr",
    "tensor.getattr",
    "tensor.hasattr",
    "function.getattr",
    "function.hasattr",
)
def note_lookup(look: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Note an attribute that is asked for: where there is none before the call, no variable is built."""
    writes = FEATURE.of(trace)
    writes.loads.looked.setdefault(name, []).append(self)
    if writes.records and writes.hasty:
        refuse_asked(trace, self, name, tx.output)
    return look(self, tx, name)


@FEATURE.hook("object.table", needed=False)
def note_table(table: Any, trace: trace_state.Trace, self: Any, tx: Any, *args: Any) -> Any:
    """Note an object whose `__dict__` the program has in hand."""
    loads = loads_of(trace)
    before, key = len(loads.pending), id(self.value)
    found = table(self, tx, *args)
    if tx.f_code is SET_ATTRIBUTE or hooks.asker().f_code.co_name == STORES:  # looks for that name alone
        loads.unseen.setdefault(key, []).extend(loads.pending[before:])
        del loads.pending[before:]
    else:
        loads.tables[key] = self.value
        loads.pending += loads.unseen.pop(key, [])
    return found


def refuse_asked(trace: trace_state.Trace, variable: Any, name: str, output: Any) -> None:
    """End a trace that asks for an attribute set by a record: behind it the record would be refused (`refuse_seen`)."""
    for record in FEATURE.of(trace).records:
        if record.name == name and record.owner is not None and asks(variable, record, output):
            trace.refuse(record.site, SEEN.format(record.name))
            raise trace_state.SiteRefused(SEEN.format(record.name))


def asks(variable: Any, record: Record, output: Any) -> bool:
    """Whether an object that is asked for the attribute that a record sets has it from there."""
    asked = asked_object(variable, output)
    kind = asked if isinstance(asked, type) else type(asked)
    return any(place is record.owner for place in (asked, *kind.__mro__))


def asked_object(variable: Any, output: Any) -> Any:
    """The object whose attribute is asked for by way of a variable of Dynamo's; None for one that the call has made."""
    from ..base.torch_names import SuperVariable

    if isinstance(variable, SuperVariable):
        return asked_object(variable.objvar, output) if variable.objvar is not None else None
    if hasattr(variable, "value"):
        return variable.value
    try:
        return output.resolve_source_value(variable.source) if variable.source is not None else None
    except Exception:  # not there before the call
        return None


def attribute(owner: Any, name: str) -> Any:
    """What an object holds under a name, without running any code of its class; raises LookupError."""
    own = getattr(owner, "__dict__", {})
    for table in (own, own.get("_modules", {}), own.get("_buffers", {}), own.get("_parameters", {})):
        if isinstance(table, (dict, types.MappingProxyType)) and name in table:
            return table[name]
    for kind in type(owner).__mro__:
        if name in vars(kind):
            found = vars(kind)[name]
            if hasattr(type(found), "__get__"):
                break
            return found
    raise LookupError(name)


def is_number_or_text(variable: Any) -> bool:
    """Whether Dynamo's variable is a number, a text, or what is computed of a clock behind the graph."""
    from .deferred_values import Later

    return type_of(variable) in (*PLAIN, Later)


def is_made_of_numbers(variable: Any) -> bool:
    """Whether Dynamo's variable is a container that the call has made of numbers, texts and containers of such."""
    from ..base.torch_names import ConstDictVariable, ListVariable, TupleVariable

    variable = variable.realize()
    if type(variable) not in (ConstDictVariable, ListVariable, TupleVariable) or variable.source is not None:
        return False
    table = isinstance(variable.items, dict)
    if table and not all(is_number_or_text(key.vt) for key in variable.items):
        return False
    items = variable.items.values() if table else variable.items
    return all(is_number_or_text(item) or is_made_of_numbers(item) for item in items)


def holds_numbers(variable: Any) -> bool:
    """Whether Dynamo's variable is a container of nothing but numbers and texts."""
    if type_of(variable) not in (list, tuple, dict):
        return False
    items = vars(variable.realize()).get("items")
    if not isinstance(items, (list, tuple, dict)):
        return False
    if isinstance(items, dict):
        items = (*(key.vt for key in items), *items.values())
    return all(map(is_number_or_text, items))


def keeps_itself(action: str, code: types.CodeType) -> bool:
    """Whether a record puts what it is given into an object, and neither takes it apart nor computes with it."""
    return action in KEEPERS and not computes(code)


def plain_inside(target: Any) -> bool:
    """Whether a container holds nothing but numbers, texts and containers of such."""
    if type(target) in PLAIN:
        return True
    if type(target) not in (*CONTAINERS, *COUNTERS, tuple):
        return False
    items = target.values() if isinstance(target, dict) else target
    return all(plain_inside(item) for item in items)


def containers_in(target: Any) -> Iterator[Any]:
    """The containers inside of a plain one, which a write into an item of it may change."""
    if type(target) in PLAIN:
        return
    for item in target.values() if isinstance(target, dict) else target:
        if type(item) in (*CONTAINERS, *COUNTERS, tuple):
            yield item
            yield from containers_in(item)


def unsafe_write(owner: Any, name: str) -> Optional[str]:
    """Why setting an attribute later could do something else than now, None if it could not."""
    kind = type(owner)
    if kind.__setattr__ not in PLAIN_SETTERS and not isinstance(owner, types.ModuleType):
        return "its class decides how attributes are set"
    if any(name in vars(base) and hasattr(type(vars(base)[name]), "__set__") for base in kind.__mro__):
        return "the attribute is a property"
    try:
        current = attribute(owner, name)
    except LookupError:
        return None
    return None if plain_inside(current) else "the attribute holds more than a number or text"


def unsafe_target(target: Any, action: str) -> tuple[Optional[str], Reach]:
    """Why writing into an object later could do something else than now, None if it could not; what it may come by."""
    if action == "[]":
        good = type(target) in (*CONTAINERS, *COUNTERS) and plain_inside(target)
    else:
        good = type(target) in RECORDERS
    if good:
        return None, Reach(frozenset(map(id, containers_in(target)))) if action == "[]" else NOTHING
    reason, found = ("it is no container", NOTHING) if action == "[]" else reached(target, action)
    return reason and f"what writing to it does is not known ({type(target).__name__}): {reason}", found


def find(current: Any, sink: Any, roots: Any, path: str) -> tuple[Any, str, bool]:
    """The owner of the last name of a path, that name, and whether it is a global; raises LookupError."""
    first, *rest = path.split(".")
    values = roots.unpack_var_sequence(current)
    if not values:
        if not rest:
            return sink.f_globals, first, True
        owner = sink.f_globals[first]
    else:
        if values[0].source is None:
            raise LookupError("it is an object of this call")
        owner = current.output.resolve_source_value(values[0].source)
    for name in rest[:-1]:
        owner = attribute(owner, name)
    return owner, rest[-1], False


def unsafe(trace: trace_state.Trace, current: Any, site: str, path: str, action: str, shares: bool) -> Optional[str]:
    """Why a record cannot be postponed, None if it can; it is then noted for `refuse_seen`.

    `shares`: the record puts a container in that the call has made.
    """
    names = current.symbolic_locals
    try:
        owner, name, is_global = find(current, names["sink"], names["roots"], path)
        target, reach, holder = None, NOTHING, None
        if action != "=":
            target = owner[name] if is_global else attribute(owner, name)
            reason, reach = unsafe_target(target, action)
            if reason is None and reach.handles and handles_exception(current):
                reason = HANDLES
        elif is_global:
            reason = None if plain_inside(owner.get(name)) else "the global holds more than a number or text"
        else:
            reason = unsafe_write(owner, name)
            holder = owner
    except (LookupError, AttributeError) as error:
        return f"`{path}` cannot be found before the call ({error})"
    if reason is None:
        FEATURE.of(trace).records.append(Record(site, name, is_global, target, reach, holder, shares))
    return reason


def shown_later(trace: trace_state.Trace, variable: Any) -> bool:
    """Whether an effect may show a container as it finds it: what the call writes to it is all postponed, in order.

    Then the trace asks nothing of it, and the graph is for whatever it holds. What it holds must not change otherwise.
    """
    from ..base.torch_names import GuardBuilder, LazyVariableTracker, install_guard

    records = FEATURE.of(trace).records
    if type(variable) is not LazyVariableTracker or variable.is_realized() or not records:
        return False
    value, source = variable.original_value(), variable.source
    writes = [record for record in records if record.target is value]
    if not writes or any(record.shares for record in writes) or not plain_inside(value):
        return False
    if not loads_of(trace).forget(value):
        return False
    install_guard(source.make_guard(GuardBuilder.TYPE_MATCH))
    inner = frozenset(map(id, containers_in(value)))
    for record in writes:
        record.reach = Reach(record.reach.ids | inner, record.reach.names)
    return True


def refuse_seen(trace: trace_state.Trace, output: Any) -> None:
    """Refuse the records whose object the traced program looks at or writes to in another way."""
    stored = {name for table in output.side_effects.store_attr_mutations.values() for name in table}
    writes = FEATURE.of(trace)
    for record in writes.records:
        if writes.loads.have(record, output) or record.name in stored or stored & record.reach.names:
            trace.refuse(record.site, SEEN.format(record.name))
