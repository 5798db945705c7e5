"""Symbolic integers for counters: a counting call needs one graph, and not one graph for each count.

    def forward(self, x):
        self.calls += 1     # Dynamo takes integers of modules for constants: one graph a call, and none after eight
        return x * 2

An integer or float stays symbolic from the first trace on where the function that reads an attribute or global also
stores it. After a graph has written to an integer in another way, later traces keep the integer symbolic.
"""

from __future__ import annotations

import dataclasses
import dis
import functools
import math
import re
import types
from typing import Any, Iterable, Iterator, Optional

import torch

from ..base import call_stack, hooks, trace_state
from ..base.dynamo_values import is_unread, source_name, translator
from ..base.effect_queue import is_queue
from ..base.owned_state import OwnedState
from .growing_lists import is_open
from .identity_guard import type_of


@dataclasses.dataclass
class Counters:
    """The counters of the program in one trace, by the names of their sources."""

    known: Optional[frozenset[str]] = (
        frozenset()
    )  # integers that earlier graphs have written to; None: all are constants
    met: bool = False  # the trace has come by one of these
    written: set[str] = dataclasses.field(default_factory=set)  # numbers that this graph writes to
    constants: dict[str, Any] = dataclasses.field(default_factory=dict)  # sources of numbers taken for constants
    late: frozenset[str] = frozenset()  # constants that the call may write to: another trace may keep them symbolic


@dataclasses.dataclass
class KnownCounters:
    """The counters of one callable, by the names of their sources."""

    counters: set[str] = dataclasses.field(default_factory=set)  # integers that its graphs write to
    uncounted: bool = False  # counters are constants all the same

    def report(self) -> dict[str, Any]:
        """The state as data for JSON."""
        return {"counters": sorted(self.counters), "uncounted": self.uncounted}

    def symbolic(self) -> Optional[frozenset[str]]:
        """The integers that stay symbolic in the next trace; None if no counter does."""
        return None if self.uncounted else frozenset(self.counters)

    def learn(self, trace: trace_state.Trace, uncounted: bool) -> None:
        """Note the counters of a trace that made a graph. `uncounted`: they are constants there."""
        self.counters |= FEATURE.of(trace).written | (FEATURE.of(trace).known or frozenset())
        self.uncounted |= uncounted


KNOWN = OwnedState(__name__, KnownCounters)

FEATURE = hooks.Feature(__name__, hooks.GAIN, "numbers that calls count with stay open", state=Counters)

LAST_NAME = re.compile(r"(?:\.|\[['\"])(\w+)(?:['\"]\])?$")  # of a source: `L['self'].count`, `G['COUNT']`
STORES = frozenset((dis.opmap["STORE_ATTR"], dis.opmap["STORE_GLOBAL"]))
LARGE = 2**40  # no counter below this number ever reaches 2**63


@FEATURE.hook("integer.specialize")
def is_constant_integer(specialized: Any, trace: trace_state.Trace, value: Any, source: Any) -> bool:
    """Keep integers symbolic after an earlier graph has written to them."""
    if type(value) is int and abs(value) < LARGE:
        if is_counter(trace, source):
            FEATURE.of(trace).met = True
            return False
        FEATURE.of(trace).constants[source_name(source)] = source
    return bool(specialized(value, source))


@FEATURE.hook("float.wrap", needed=False)
def note_float(wrap: Any, trace: trace_state.Trace, self: Any, value: Any) -> Any:
    """Note a float, which is a constant unless `is_open_at_once` says otherwise."""
    if math.isfinite(value):
        FEATURE.of(trace).constants[source_name(self.source)] = self.source
    return hooks.DECLINED


@FEATURE.hook("number.dynamic", needed=False)
def is_open_at_once(follow: Any, trace: trace_state.Trace, tx: Any, name: str, entry: Any, **options: Any) -> Any:
    """Take a number for one that changes, before its second value, where the function that reads it also stores it."""
    from ..base.torch_names import auto_dynamic

    known, counters = follow(tx, name, entry, **options), FEATURE.of(trace)
    number = entry.scalar
    may_change = abs(number) < LARGE if type(number) is int else type(number) is float and math.isfinite(number)
    if may_change and stays_open(counters, name):
        counters.met = True
        counters.constants.pop(name, None)
        return dataclasses.replace(known, scalar=auto_dynamic)
    if type(number) is float and known.scalar is auto_dynamic:  # Dynamo has seen another value
        counters.constants.pop(name, None)
    return known


def stays_open(counters: Counters, name: str) -> bool:
    """Whether a graph has written to the number of a source, or the function that the trace is in stores it."""
    if counters.known is None:
        return False
    found = LAST_NAME.search(name)
    frame = call_stack.program_frame(translator().output.current_tx)  # a merged branch reads within the runtime
    is_stored = found is not None and found[1] in stored_names(frame.f_code)
    return is_stored or name in counters.known


def open_names(trace: trace_state.Trace, tx: Any) -> frozenset[str]:
    """The attributes and globals whose numbers may stay symbolic: graphs or functions on the stack write to them."""
    found = map(LAST_NAME.search, FEATURE.of(trace).known or ())
    names = frozenset(match[1] for match in found if match is not None)
    return names.union(*(stored_names(frame.f_code) for frame in call_stack.translators(tx)))


@functools.lru_cache(maxsize=4096)
def stored_names(code: types.CodeType) -> frozenset[str]:
    """The attributes and globals that a function stores, with the functions inside it: sinks of records are such."""
    names: set[str] = set()
    if not STORES.isdisjoint(code.co_code[::2]):  # most functions store nothing, and `dis` is slow
        names = {step.argval for step in dis.get_instructions(code) if step.opcode in STORES}
    inner = (stored_names(constant) for constant in code.co_consts if isinstance(constant, types.CodeType))
    return frozenset(names.union(*inner))


def is_counter(trace: trace_state.Trace, source: Any) -> bool:
    """Whether a graph has written to the value at a source or to the container of the value, or this one will."""
    return stays_open(FEATURE.of(trace), source_name(source)) or counts_in(trace, getattr(source, "base", None))


def counts_in(trace: trace_state.Trace, source: Any) -> bool:
    """Whether an earlier graph has written to the integers of a container, or to those of all tuples beside it."""
    known = FEATURE.of(trace).known or ()
    return inside(source) in known or inside(inside(getattr(source, "base", None))) in known


def inside(source: Any) -> str:
    """The name, among names of sources, for all items of a container, or of the tuples in a container."""
    return f"{source if isinstance(source, str) else source_name(source)}[]"


def note_written(trace: trace_state.Trace, output: Any) -> None:
    """Note the integers and containers written by a graph; refuse graphs with more arithmetic on counters
    than steps.
    """
    effects = output.side_effects
    for variable in changed_containers(effects):
        FEATURE.of(trace).written.add(inside(variable.source))
        items = items_of(variable)
        refuse_uncounted(trace, items)
        note_tuples(trace, inside(variable.source), items)
    for variable, changes in effects.store_attr_mutations.items():
        attributes = [(source_name(source), changes[name]) for name, source in places(variable, changes)]
        FEATURE.of(trace).written.update(name for name, value in attributes if type_of(value) in (int, float))
        refuse_uncounted(trace, [value for _, value in attributes if type_of(value) is int])
        for name, value in attributes:
            note_tuples(trace, name, [value])
    refuse_late(trace, output)


def refuse_late(trace: trace_state.Trace, output: Any) -> None:
    """Refuse a graph that takes numbers for constants which the call writes to, or would write to on another path.

    Such a graph would serve this call alone. What is a constant in the next trace as well, stays one.
    """
    counters = FEATURE.of(trace)
    if counters.known is None:
        return
    codes = {id(code): stored_names(code) for code in output.tracing_context.traced_code}
    stored = frozenset().union(*codes.values())
    late = set()
    containers = changed_containers(output.side_effects)
    changed = {source_name(variable.source): variable.items for variable in containers if not is_open(variable)}
    for name, source in counters.constants.items():
        last = LAST_NAME.search(name)
        if name in counters.written or is_changed(source, changed):
            late.add(name)
        elif last is not None and last[1] in stored and may_write(owner_of(source, output), last[1], codes):
            late.add(name)
    if not late <= counters.known:
        counters.late = frozenset(late)
        raise trace_state.SiteRefused("the call writes to numbers that the trace takes for constants")


def changed_containers(effects: Any) -> Iterator[Any]:
    """Dynamo's variables of the lists, queues and dictionaries from before the call that a graph writes to."""
    from ..base.torch_names import ConstDictVariable, DequeVariable, ListVariable

    for variable in effects.id_to_variable.values():
        if isinstance(variable, (ConstDictVariable, DequeVariable, ListVariable)) and is_older(variable):
            if not is_queue(variable) and effects.is_modified(variable):
                yield variable


def is_changed(source: Any, changed: dict[str, Any]) -> bool:
    """Whether a number in a list or dictionary gives way to a number that the graph computes."""
    place = getattr(source, "index", None)  # of a source in a list or dictionary
    items = changed.get(source_name(source.base), ()) if place is not None else ()
    if isinstance(items, dict):
        values = [value for key, value in items.items() if is_key(key.vt, place)]
    else:
        values = list(items[place : place + 1]) if type(place) is int and place >= 0 else []
    computed = (value for value in values if not is_unread(value) and not value.is_python_constant())
    return any(type_of(value) in (int, float) for value in computed)


def is_key(variable: Any, key: Any) -> bool:
    """Whether a variable is the key of a source."""
    return bool(variable.is_python_constant()) and variable.as_python_constant() == key


def may_write(owner: Any, attribute: str, codes: dict[int, frozenset[str]]) -> bool:
    """Whether a method of an object stores an attribute, on whatever path; `codes` has the names that the functions
    store in which the trace has been, by identity.
    """
    for kind in type(owner).__mro__ if owner is not None else ():
        for name, value in vars(kind).items():
            code = getattr(getattr(value, "fget", value), "__code__", None)
            if name != "__init__" and attribute in codes.get(id(code), ()):
                return True
    return False


def owner_of(source: Any, output: Any) -> Any:
    """The object that has the attribute of a source, as it was before the call; None if there is none."""
    try:
        return output.resolve_source_value(source.base)
    except Exception:  # no attribute, or an object that the call makes
        return None


def items_of(variable: Any) -> list[Any]:
    """The items of Dynamo's variable of a list or dictionary; the new ones alone of an open list."""
    if is_open(variable):
        return list(variable.tail)
    return list(variable.items.values() if isinstance(variable.items, dict) else variable.items)


def note_tuples(trace: trace_state.Trace, name: str, values: list[Any]) -> None:
    """Note tuples with integers that a graph puts into a place."""
    from ..base.torch_names import TupleVariable

    tuples = [value for value in values if not is_unread(value) and type(value.realize()) is TupleVariable]
    counting = [
        value
        for value in tuples
        if value.source is None and any(type_of(item) is int for item in value.items if not is_unread(item))
    ]
    for value in counting:
        FEATURE.of(trace).written.add(inside(name))
        refuse_uncounted(trace, value.items)


def places(variable: Any, changes: Any) -> Iterator[tuple[str, Any]]:
    """The name and the source of each attribute or global set by the call.

    Attributes of classes are left out, because Dynamo has two sources for each.
    """
    from ..base.torch_names import AttrSource, NewGlobalVariable, UserDefinedClassVariable

    if isinstance(variable, UserDefinedClassVariable) or not is_older(variable):
        return
    for name in changes:
        yield name, variable.source if isinstance(variable, NewGlobalVariable) else AttrSource(variable.source, name)


def is_older(variable: Any) -> bool:
    """Whether an object existed before the call; only Dynamo can find new objects.

    Cells around the compiled function count as new: their integers are symbolic in any case.
    """
    from ..base.torch_names import LocalCellSource, TempLocalSource

    return variable.source is not None and not isinstance(variable.source, (LocalCellSource, TempLocalSource))


def refuse_uncounted(trace: trace_state.Trace, variables: Iterable[Any]) -> None:
    """Refuse counters with more arithmetic than increments and decrements: the integers may soon overflow in compiled
    code.
    """
    for variable in variables if FEATURE.of(trace).met else ():
        number = None if is_unread(variable) else getattr(variable.realize(), "sym_num", None)
        if isinstance(number, torch.SymInt) and not is_counted(number.node.expr):
            raise trace_state.SiteRefused("the call does more with an integer than to count")


def is_counted(expr: Any) -> bool:
    """Whether an expression adds steps to a symbol, perhaps with a limit at which the count starts anew."""
    import sympy

    from ..base.torch_names import FloorDiv, Max, Min, Mod, PythonMod

    steps = (sympy.Add, sympy.Symbol, sympy.Integer, FloorDiv, Max, Min, Mod, PythonMod)
    signed = isinstance(expr, sympy.Mul) and len(expr.args) == 2 and expr.args[0] in (1, -1)
    return (isinstance(expr, steps) or signed) and all(map(is_counted, expr.args))
