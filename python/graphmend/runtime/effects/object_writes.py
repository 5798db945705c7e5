"""Deferred writes to objects that outlive a call: `self.losses.append(loss.item())`.

    self.losses.append(loss.item())   # deferred: the flush appends
    n = len(self.losses)              # a read of the list in the same call refuses the deferral

Dynamo builds a variable for everything that the program loads from outside, and `Loads` notes the loads of one trace. A
record is sound if its object is not among the loads, and is written to in no other way.
"""

from __future__ import annotations

import collections
import dataclasses
import io
import queue
import re
import types
from typing import Any, Callable, Iterator, Optional

import torch

from ..analysis.reachability import NOTHING, Reach, reach_of_method
from ..base import hooks, trace_state
from ..base.dynamo_values import handles_exception, real, source_name
from ..capture.identity_guard import computes, type_of
from .keyed_writes import BEHIND_KEYS, containers_behind, keys_of

CONTAINERS = (list, dict, set, bytearray, collections.deque, collections.defaultdict, collections.OrderedDict)
COUNTERS = (collections.Counter,)
KEEPERS = ("append", "appendleft", "insert", "put", "put_nowait", "[]")  # actions that store their argument unchanged
QUEUES = (queue.Queue, queue.LifoQueue, queue.PriorityQueue, queue.SimpleQueue)
FILES = (io.StringIO, io.TextIOWrapper, io.BytesIO, io.BufferedWriter)
RECORDERS = (*CONTAINERS, *COUNTERS, *QUEUES, *FILES)
PLAIN_SETTERS: tuple[Callable[..., None], ...] = (
    object.__setattr__,
    torch.nn.Module.__setattr__,
    type.__setattr__,
    types.SimpleNamespace.__setattr__,
)
HANDLES = "it may look at the exception that is being handled"
SEEN = "`{}` is looked at, or written to in another way, in the same call"
STORES = "method_setattr_standard"  # Dynamo's function for attribute writes to plain objects
SET_ATTRIBUTE = torch.nn.Module.__setattr__.__code__
LOOP = 64  # records of one site that a trace makes before it looks whether the program reads what they write
PLAIN = (type(None), bool, int, float, complex, str, bytes)


@dataclasses.dataclass
class Record:
    """One deferred write: the name under which the object is found, and the object, unless the write replaces the
    object.
    """

    site: str
    name: str
    is_global: bool
    target: Any
    reach: Reach = NOTHING  # objects that the code of the write may read
    owner: Any = None  # the object whose attribute is replaced
    shares: bool = False  # the write stores a container that the call may still change


class Loads:
    """The loads of one trace: names of sources and identities of values."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.sources: dict[int, set[str]] = {}  # by identity of the value
        self.pending: list[tuple[int, Any]] = []  # identities and sources, before `resolve` computes the names
        self.deferred_reads: set[str] = set()  # sources of queues whose size is read behind the graph
        self.lookups: dict[str, list[Any]] = {}  # by attribute name: variables whose attribute was looked up
        self.tables: dict[int, Any] = {}  # by identity: objects whose `__dict__` the program reads
        self.unseen: dict[int, list[tuple[int, Any]]] = {}  # by identity of an object: loads by torch's own code

    def add(self, value: Any, source: Any) -> None:
        """Note the load of a value."""
        if source is not None:
            self.pending.append((id(value), source))

    def expect(self, name: str) -> None:
        """Note a source that is asked for behind the graph alone."""
        self.deferred_reads.add(name)

    def forget(self, value: Any) -> bool:
        """Remove the latest note of a value; returns False if there is none."""
        for place in reversed(range(len(self.pending))):
            if self.pending[place][0] == id(value):
                del self.pending[place]
                return True
        return False

    def resolve(self) -> None:
        """Compute the names of the pending sources; most traces need no names."""
        for number, source in self.pending:
            name = source_name(source).replace(trace_state.QUEUE_SOURCE, "")
            self.names.append(name)
            self.sources.setdefault(number, set()).add(name)
        self.pending.clear()

    def was_looked_up(self, owner: Any, name: str) -> bool:
        """Whether the program looked up an attribute of an object, with or without success."""
        return any(getattr(variable, "value", None) is owner for variable in self.lookups.get(name, ()))

    def looks_up(self, record: Record, output: Any) -> bool:
        """Whether the program looked up the attribute that a record sets, with or without success."""
        return any(finds_write(variable, record, output) for variable in self.lookups.get(record.name, ()))

    def include(self, record: Record, output: Any) -> bool:
        """Whether the trace has loaded the object of a record."""
        self.resolve()
        if record.target is not None and self.sources.get(id(record.target), self.deferred_reads) - self.deferred_reads:
            return True
        if not record.reach.ids.isdisjoint(self.sources):
            return True
        if record.owner is not None and (id(record.owner) in self.tables or self.looks_up(record, output)):
            return True
        name = re.escape(record.name)
        if record.is_global:
            pattern = re.compile(rf"(^|[^L])\[['\"]{name}['\"]\]|\.{name}\b")
        else:
            pattern = re.compile(rf"\[['\"]{name}['\"]\]|\.{name}\b")
        return any(pattern.search(source) for source in self.names if source not in self.deferred_reads)


@dataclasses.dataclass
class Writes:
    """The postponed writes of one trace, and its other uses of objects from before the call."""

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
    """Note a value with a lazy variable, before the first use of the variable."""
    loads_of(trace).add(value, source)
    return hooks.DECLINED


@FEATURE.hook("variable.build")
def note_build(build: Any, trace: trace_state.Trace, self: Any, value: Any) -> Any:
    """Note a value for which Dynamo builds a variable."""
    loads_of(trace).add(value, self.source)
    return hooks.DECLINED


@FEATURE.note(
    "super.getattr",
    "class.getattr",
    "class.hasattr",
    "object.getattr",
    "tensor.getattr",
    "tensor.hasattr",
    "function.getattr",
    "function.hasattr",
)
def note_lookup(trace: trace_state.Trace, result: Any, self: Any, tx: Any, name: str) -> None:
    """Note the lookup of an attribute, with or without a hook's answer; a lookup without success builds no variable."""
    writes = FEATURE.of(trace)
    writes.loads.lookups.setdefault(name, []).append(self)
    if writes.records and writes.hasty:
        refuse_lookup(trace, self, name, tx.output)


@FEATURE.hook("object.table", needed=False)
def note_table(table: Any, trace: trace_state.Trace, self: Any, tx: Any, *args: Any) -> Any:
    """Note an object whose `__dict__` the program reads."""
    loads = loads_of(trace)
    count, key = len(loads.pending), id(self.value)
    result = table(self, tx, *args)
    if tx.f_code is SET_ATTRIBUTE or hooks.calling_frame().f_code.co_name == STORES:  # a lookup of one name
        loads.unseen.setdefault(key, []).extend(loads.pending[count:])
        del loads.pending[count:]
    else:
        loads.tables[key] = self.value
        loads.pending += loads.unseen.pop(key, [])
    return result


def refuse_lookup(trace: trace_state.Trace, variable: Any, name: str, output: Any) -> None:
    """End a trace that looks up an attribute set by an earlier record: `refuse_seen` would refuse the record at the
    end.
    """
    for record in FEATURE.of(trace).records:
        if record.name == name and record.owner is not None and finds_write(variable, record, output):
            trace.refuse(record.site, SEEN.format(record.name))
            raise trace_state.SiteRefused(SEEN.format(record.name))


def finds_write(variable: Any, record: Record, output: Any) -> bool:
    """Whether a lookup through a variable finds the attribute that a record sets."""
    target = lookup_target(variable, output)
    kind = target if isinstance(target, type) else type(target)
    return any(place is record.owner for place in (target, *kind.__mro__))


def lookup_target(variable: Any, output: Any) -> Any:
    """The object whose attribute is looked up through Dynamo's variable; None for objects made by the call."""
    from ..base.torch_names import SuperVariable

    if isinstance(variable, SuperVariable):
        return lookup_target(variable.objvar, output) if variable.objvar is not None else None
    if hasattr(variable, "value"):
        return variable.value
    try:
        return output.resolve_source_value(variable.source) if variable.source is not None else None
    except Exception:  # the object did not exist before the call
        return None


def attribute(owner: Any, name: str) -> Any:
    """The value of an attribute, read without running code of the class; raises LookupError."""
    attributes = getattr(owner, "__dict__", {})
    for table in (
        attributes,
        attributes.get("_modules", {}),
        attributes.get("_buffers", {}),
        attributes.get("_parameters", {}),
    ):
        if isinstance(table, (dict, types.MappingProxyType)) and name in table:
            return table[name]
    for kind in type(owner).__mro__:
        if name in vars(kind):
            value = vars(kind)[name]
            if hasattr(type(value), "__get__"):
                break
            return value
    raise LookupError(name)


def is_number_or_text(variable: Any) -> bool:
    """Whether Dynamo's variable is a number, a string, or a deferred number."""
    from .deferred_values import READINGS

    return type_of(variable) in (*PLAIN, *READINGS)


def is_made_of_numbers(variable: Any) -> bool:
    """Whether Dynamo's variable is a container made by the call from numbers, strings and containers of numbers and
    strings.
    """
    from ..base.torch_names import ConstDictVariable, ListVariable, TupleVariable

    variable = variable.realize()
    if type(variable) not in (ConstDictVariable, ListVariable, TupleVariable) or variable.source is not None:
        return False
    is_table = isinstance(variable.items, dict)
    if is_table and not all(is_number_or_text(key.vt) for key in variable.items):
        return False
    items = variable.items.values() if is_table else variable.items
    return all(is_number_or_text(item) or is_made_of_numbers(item) for item in items)


def holds_numbers(variable: Any) -> bool:
    """Whether Dynamo's variable is a container with numbers and strings only."""
    if type_of(variable) not in (list, tuple, dict):
        return False
    items = vars(variable.realize()).get("items")
    if not isinstance(items, (list, tuple, dict)):
        return False
    if isinstance(items, dict):
        items = (*(key.vt for key in items), *items.values())
    return all(map(is_number_or_text, items))


def keeps_itself(action: str, code: types.CodeType) -> bool:
    """Whether a record stores its argument unchanged: the sink neither takes the argument apart nor
    computes with it.
    """
    return action in KEEPERS and not computes(code)


def plain_inside(target: Any) -> bool:
    """Whether a container holds only numbers, strings and containers of numbers and strings."""
    if type(target) in PLAIN:
        return True
    if type(target) not in (*CONTAINERS, *COUNTERS, tuple):
        return False
    items = target.values() if isinstance(target, dict) else target
    return all(plain_inside(item) for item in items)


def containers_in(target: Any) -> Iterator[Any]:
    """The containers inside a plain container; a write into an item may change them."""
    if type(target) in PLAIN:
        return
    for item in target.values() if isinstance(target, dict) else target:
        if type(item) in (*CONTAINERS, *COUNTERS, tuple):
            yield item
            yield from containers_in(item)


def unsafe_write(owner: Any, name: str) -> Optional[str]:
    """The reason why a later write to an attribute may differ from a write now; None if it cannot."""
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


def unsafe_target(target: Any, action: str, current: Any) -> tuple[Optional[str], Reach]:
    """The reason why a later write into an object may differ from a write now, or None, and the reach of the write."""
    if action.startswith(BEHIND_KEYS):
        containers = containers_behind(target, keys_of(current))
        if containers is None:
            return "a container behind the keys is not Python's own", NOTHING
        return None, Reach(frozenset(map(id, containers)))
    if action == "[]":
        is_plain = type(target) in (*CONTAINERS, *COUNTERS) and plain_inside(target)
    else:
        is_plain = type(target) in RECORDERS
    if is_plain:
        return None, Reach(frozenset(map(id, containers_in(target)))) if action == "[]" else NOTHING
    reason, reach = ("it is no container", NOTHING) if action == "[]" else reach_of_method(target, action)
    return reason and f"what writing to it does is not known ({type(target).__name__}): {reason}", reach


def find_owner(current: Any, sink: Any, roots: Any, path: str) -> tuple[Any, str, bool]:
    """The owner of the last name of a path, the last name, and whether the name is a global; raises LookupError."""
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
        if is_replaced(current.output.side_effects, name):
            raise LookupError("the call has replaced it by a text or number")
        owner = attribute(owner, name)
    return owner, rest[-1], False


def is_replaced(effects: Any, name: str) -> bool:
    """Whether the call has put a new object, which is a text or number, under a name: Dynamo makes a copy of it."""
    found = (table[name] for table in effects.store_attr_mutations.values() if name in table)
    return any(isinstance(getattr(value, "value", None), (str, bytes, int, float, complex)) for value in found)


def unsafe_record(
    trace: trace_state.Trace, current: Any, site: str, path: str, action: str, shares: bool
) -> Optional[str]:
    """The reason why a record cannot be deferred, or None; without a reason, the record is noted for `refuse_seen`.

    `shares`: the record puts a container in that the call has made.
    """
    names = current.symbolic_locals
    try:
        owner, name, is_global = find_owner(current, names["sink"], names["roots"], path)
        target, reach, holder = None, NOTHING, None
        if action != "=":
            target = owner[name] if is_global else attribute(owner, name)
            reason, reach = unsafe_target(target, action, current)
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
        record = Record(site, name, is_global, target, reach, holder, shares)
        FEATURE.of(trace).records.append(record)
        reason = seen_in_loop(trace, record, current.output)
    return reason


def seen_in_loop(trace: trace_state.Trace, record: Record, output: Any) -> Optional[str]:
    """The reason of `refuse_seen` as soon as a site has many records, or None.

    A loop that ends by its own writes, as in `while len(self.queue) > n: self.queue.popleft()`, never ends in a trace
    that postpones the writes.
    """
    writes = FEATURE.of(trace)
    if len(writes.records) < LOOP:
        return None
    count = sum(other.site == record.site for other in writes.records)
    if count < LOOP or count & (count - 1):  # at powers of two alone: each look costs as much as all loads
        return None
    return SEEN.format(record.name) if writes.loads.include(record, output) else None


def shown_later(trace: trace_state.Trace, variable: Any, by_length: bool = False) -> bool:
    """Whether an effect may show a container by reference, because all writes of the call to the container are
    deferred.

    The flush then shows the container in its state at that point of the program. The trace reads nothing of the
    container, and one graph serves every content. The content must not change in any other way. Where the effect asks
    for the length alone (`by_length`), the container may hold anything.
    """
    from ..base.torch_names import GuardBuilder, LazyVariableTracker, install_guard

    records = FEATURE.of(trace).records
    if type(variable) is not LazyVariableTracker or variable.is_realized() or not records:
        return False
    value, source = variable.original_value(), variable.source
    writes = [record for record in records if record.target is value]
    if not writes:
        return False
    if not by_length and (any(record.shares for record in writes) or not plain_inside(value)):
        return False
    if not loads_of(trace).forget(value):
        return False
    install_guard(source.make_guard(GuardBuilder.TYPE_MATCH))
    inner = frozenset() if by_length else frozenset(map(id, containers_in(value)))
    for record in writes:
        record.reach = Reach(record.reach.ids | inner, record.reach.names)
    return True


def refuse_seen(trace: trace_state.Trace, output: Any) -> None:
    """Refuse records whose object the traced program reads, or writes to in another way."""
    written = {name for table in output.side_effects.store_attr_mutations.values() for name in table}
    writes = FEATURE.of(trace)
    for record in writes.records:
        if writes.loads.include(record, output) or record.name in written or written & record.reach.names:
            trace.refuse(record.site, SEEN.format(record.name))
        elif record.owner is not None and is_new(record.owner, record.name) and adds_names(output, record.owner):
            trace.refuse(record.site, f"the call adds other attributes beside `{record.name}`, which keep their order")


def is_new(owner: Any, name: str) -> bool:
    """Whether an object has a table of attributes without this name."""
    table = getattr(owner, "__dict__", None)
    return type(table) is dict and name not in table


def adds_names(output: Any, owner: Any) -> bool:
    """Whether the code behind the graph gives an object new attributes."""
    changes = output.side_effects.store_attr_mutations.items()
    tables = [table for variable, table in changes if variable.source is not None and real(variable) is owner]
    return any(is_new(owner, name) for table in tables for name in table)
