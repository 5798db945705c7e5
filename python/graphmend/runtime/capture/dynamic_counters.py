"""Symbolic integers for counters: a counting call needs one graph, and not one graph for each count.

    def forward(self, x):
        self.calls += 1     # Dynamo takes integers of modules for constants: one graph a call, and none after eight
        return x * 2

After a graph has written to an integer of a module or global, later traces keep the integer symbolic, like integers in
arguments.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Iterable, Iterator

import torch

from ..base import hooks, trace_state
from ..base.dynamo_values import is_unread, source_name
from ..base.effect_queue import is_queue
from ..base.owned_state import OwnedState
from .growing_lists import is_open
from .identity_guard import type_of


@dataclasses.dataclass
class Counters:
    """The counters of the program in one trace, by the names of their sources."""

    known: frozenset[str] = frozenset()  # integers that earlier graphs have written to; they stay symbolic
    met: bool = False  # the trace has come by one of these
    written: set[str] = dataclasses.field(default_factory=set)  # integers that this graph writes to


@dataclasses.dataclass
class KnownCounters:
    """The counters of one callable, by the names of their sources."""

    counters: set[str] = dataclasses.field(default_factory=set)  # integers that its graphs write to
    uncounted: bool = False  # counters are constants all the same

    def report(self) -> dict[str, Any]:
        """The state as data for JSON."""
        return {"counters": sorted(self.counters), "uncounted": self.uncounted}

    def symbolic(self) -> frozenset[str]:
        """The integers that stay symbolic in the next trace."""
        return frozenset() if self.uncounted else frozenset(self.counters)

    def learn(self, trace: trace_state.Trace, uncounted: bool) -> None:
        """Note the counters of a trace that made a graph. `uncounted`: they are constants there."""
        self.counters |= FEATURE.of(trace).written
        self.uncounted |= uncounted


KNOWN = OwnedState(__name__, KnownCounters)

FEATURE = hooks.Feature(__name__, hooks.GAIN, "integers that calls count with stay open", state=Counters)

LARGE = 2**40  # no counter below this number ever reaches 2**63


@FEATURE.hook("integer.specialize")
def is_constant_integer(specialized: Any, trace: trace_state.Trace, value: Any, source: Any) -> bool:
    """Keep integers symbolic after an earlier graph has written to them."""
    if type(value) is int and abs(value) < LARGE and is_counter(trace, source):
        FEATURE.of(trace).met = True
        return False
    return bool(specialized(value, source))


def is_counter(trace: trace_state.Trace, source: Any) -> bool:
    """Whether an earlier graph has written to the value at a source, or to the container of the value."""
    return source_name(source) in FEATURE.of(trace).known or counts_in(trace, getattr(source, "base", None))


def counts_in(trace: trace_state.Trace, source: Any) -> bool:
    """Whether an earlier graph has written to the integers of a container, or to those of all tuples beside it."""
    known = FEATURE.of(trace).known
    return inside(source) in known or inside(inside(getattr(source, "base", None))) in known


def inside(source: Any) -> str:
    """The name, among names of sources, for all items of a container, or of the tuples in a container."""
    return f"{source if isinstance(source, str) else source_name(source)}[]"


def note_written(trace: trace_state.Trace, output: Any) -> None:
    """Note the integers and containers written by a graph; refuse graphs with more arithmetic on counters
    than steps.
    """
    from ..base.torch_names import ConstDictVariable, ListVariable

    effects = output.side_effects
    for variable in effects.id_to_variable.values():
        if isinstance(variable, (ConstDictVariable, ListVariable)) and is_older(variable):
            if not is_queue(variable) and effects.is_modified(variable):
                FEATURE.of(trace).written.add(inside(variable.source))
                items = items_of(variable)
                refuse_uncounted(trace, items)
                note_tuples(trace, inside(variable.source), items)
    for variable, changes in effects.store_attr_mutations.items():
        attributes = [(source_name(source), changes[name]) for name, source in places(variable, changes)]
        integers = {name: value for name, value in attributes if type_of(value) is int}
        FEATURE.of(trace).written.update(integers)
        refuse_uncounted(trace, integers.values())
        for name, value in attributes:
            note_tuples(trace, name, [value])


def items_of(variable: Any) -> list[Any]:
    """The items of Dynamo's variable of a list or dictionary; the new ones alone of an open list."""
    if is_open(variable):
        return list(variable.tail)
    return list(variable.items.values() if isinstance(variable.items, dict) else variable.items)


def note_tuples(trace: trace_state.Trace, name: str, values: list[Any]) -> None:
    """Note tuples with integers that a graph puts into a place."""
    from ..base.torch_names import TupleVariable

    tuples = [value for value in values if not is_unread(value) and type(value.realize()) is TupleVariable]
    counting = [value for value in tuples if value.source is None and any(type_of(item) is int for item in value.items)]
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
        number = getattr(variable, "sym_num", None)
        if isinstance(number, torch.SymInt) and not is_counted(number.node.expr):
            raise trace_state.SiteRefused("the call does more with an integer than to count")


def is_counted(expr: Any) -> bool:
    """Whether an expression adds steps to a symbol, perhaps with a limit at which the count starts anew."""
    import sympy

    from ..base.torch_names import FloorDiv, Max, Min, Mod, PythonMod

    steps = (sympy.Add, sympy.Symbol, sympy.Integer, FloorDiv, Max, Min, Mod, PythonMod)
    signed = isinstance(expr, sympy.Mul) and len(expr.args) == 2 and expr.args[0] in (1, -1)
    return (isinstance(expr, steps) or signed) and all(map(is_counted, expr.args))
