"""Calls that fill in an attribute: the graph of the call would serve no later call.

    if self.table is None:            # a guard: `table` is None
        self.table = make_table()     # the next call breaks the guard

In a large model the call runs in eager Python, where the attribute is filled in, and the next call is traced.
`foreseen` finds most attributes in the code of the model, before any trace; a trace that fills in an attribute ends
early. Both happen at most once for a callable.
"""

from __future__ import annotations

import collections
import dataclasses
import dis
import inspect
import types
from typing import Any, Iterable, Iterator, Optional

import torch

from ..base import hooks, trace_state
from ..base.closures import contents_of_cell
from ..base.dynamo_values import is_constant
from ..effects.object_writes import loads_of


@dataclasses.dataclass
class Filled:
    """The attributes that the call of one trace fills in."""

    may_end: bool = False  # the trace may end there: no graph of the callable has been made so far
    ended: bool = False  # the trace has ended for that reason
    places: set[tuple[int, str]] = dataclasses.field(default_factory=set)  # identities of objects, and names


FEATURE = hooks.Feature(
    __name__,
    hooks.GAIN,
    "calls that fill in an attribute",
    wanted=lambda trace: may_end(trace),
    state=Filled,
)

LONG = 100  # operators; a shorter trace costs no more than the call in eager Python
LARGE = 30  # modules; a model with fewer modules has a short graph
ABSENT = object()


def may_end(trace: trace_state.Trace) -> bool:
    """Whether a trace may end where the call fills in an attribute."""
    return FEATURE.of(trace).may_end


def foreseen(arguments: Iterable[Any]) -> Optional[str]:
    """The name of an attribute that a large model among the arguments will probably fill in; None without one.

    The attribute is None or False now, and a function reachable from the model's forward functions reads and sets the
    attribute. A wrong guess only costs time.
    """
    for model in arguments:
        if isinstance(model, torch.nn.Module):
            modules = list(model.modules())
            if len(modules) > LARGE:
                return next(filled_by(modules), None)
    return None


def filled_by(modules: list[torch.nn.Module]) -> Iterator[str]:
    """The names of attributes that methods of these modules read and set."""
    standard = vars(torch.nn.Module()).keys()
    empty: dict[type, set[str]] = collections.defaultdict(set)
    for module in modules:
        names = {name for name, value in vars(module).items() if value is None or value is False} - standard
        empty[type(module)] |= names
    methods: dict[str, dict[types.CodeType, set[str]]] = collections.defaultdict(lambda: collections.defaultdict(set))
    for kind, names in empty.items():
        for base in kind.__mro__:
            if not base.__module__.startswith("torch."):
                for name, value in vars(base).items():
                    for code in codes_of(value):
                        methods[name][code] |= names
    reached, waiting = {"forward", "__init__"}, ["forward"]
    while waiting:
        for code, names in methods[waiting.pop()].items():
            yield from sorted(set_in(code, names)) if not names.isdisjoint(code.co_names) else ()
            called = methods.keys() & set(code.co_names) - reached
            reached |= called
            waiting += called


def set_in(code: types.CodeType, names: set[str]) -> set[str]:
    """The names that a function reads and sets as attributes."""
    steps = [step for step in dis.get_instructions(code) if step.argval in names]
    stored = {step.argval for step in steps if step.opname == "STORE_ATTR"}
    return stored & {step.argval for step in steps if step.opname.startswith("LOAD_")}


def codes_of(member: Any) -> Iterator[types.CodeType]:
    """The code of a member of a class, with the code of wrapped functions and of functions inside."""
    waiting, visited = [member], set()
    while waiting:
        value = waiting.pop()
        if isinstance(value, types.CodeType):
            yield value
            waiting += [constant for constant in value.co_consts if isinstance(constant, types.CodeType)]
        elif isinstance(value, types.FunctionType) and value not in visited:
            visited.add(value)
            waiting.append(value.__code__)
            for cell in value.__closure__ or ():
                waiting += contents_of_cell(cell)
        elif isinstance(value, property):
            waiting.append(value.fget)
        elif isinstance(value, (classmethod, staticmethod)):
            waiting.append(value.__func__)


@FEATURE.hook("effects.store")
def note_filled(store: Any, trace: trace_state.Trace, self: Any, item: Any, name: str, value: Any, *args: Any) -> None:
    """Note an attribute that the call fills in."""
    store(self, item, name, value, *args)
    place = (id(getattr(item, "value", None)), name)
    if is_filled_in(trace, item, name, value):
        FEATURE.of(trace).places.add(place)
    else:
        FEATURE.of(trace).places.discard(place)


@FEATURE.hook("graph.create_proxy")
def end_long_trace(create: Any, trace: trace_state.Trace, self: Any, *args: Any, **kwargs: Any) -> Any:
    """End a long trace with a graph for this call alone."""
    filled = FEATURE.of(trace)
    if filled.places and len(self.graph.nodes) > LONG:
        filled.ended = True
        raise trace_state.SiteRefused(f"the call fills in `{next(iter(filled.places))[1]}`")
    return hooks.DECLINED


def is_filled_in(trace: trace_state.Trace, item: Any, name: str, value: Any) -> bool:
    """Whether the program replaces an attribute after reading None, a truth value, or no attribute."""
    owner = getattr(item, "value", None)
    if owner is None or item.source is None or not loads_of(trace).was_looked_up(owner, name):
        return False
    before = inspect.getattr_static(owner, name, ABSENT)
    if before is ABSENT:
        return not isinstance(owner, torch.nn.Module) or not hasattr(owner, name)  # buffers are outside of `__dict__`
    is_plain = any(before is constant for constant in (None, True, False))
    return is_plain and not is_constant(value, before)
