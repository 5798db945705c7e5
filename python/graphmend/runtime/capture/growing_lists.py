"""Lists that calls only append to: one graph serves every length.

    def forward(self, x):
        loss = self.net(x).mean()
        self.history.append(loss.detach())   # Dynamo guards the length: one graph a call, and none after eight
        return loss

After a graph has appended to a list from before the call, and has read none of its items, later traces keep the list
open: its variable holds the new items alone, the guard asks for the type and not for the length, and behind the graph
`list.extend` adds the new items. The last items may be read as far as the call has appended them. A trace that reads
anything else of the list, such as its length, fails, and the list is closed for the callable.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, Iterable, Iterator, Optional

from ..base import hooks, trace_state
from ..base.dynamo_values import real, source_name
from ..base.effect_queue import is_queue
from ..base.owned_state import OwnedState

READ = "`{}` is read in a call that appends to it"
extend = list.extend  # the code around a graph loads it from here


@dataclasses.dataclass
class Growth:
    """The open lists of one trace, by the names of their sources."""

    open: frozenset[str] = frozenset()  # lists that earlier graphs have appended to; they may stay open
    grown: set[str] = dataclasses.field(default_factory=set)  # lists that this graph only appends to
    read: Optional[str] = None  # an open list of which the trace has read more than its new items


@dataclasses.dataclass
class KnownLists:
    """The lists of one callable, by the names of their sources."""

    grown: set[str] = dataclasses.field(default_factory=set)  # lists that its graphs only append to
    read: set[str] = dataclasses.field(default_factory=set)  # lists that it reads as well

    def report(self) -> dict[str, Any]:
        """The state as data for JSON."""
        return {"growing_lists": sorted(self.open())}

    def open(self) -> frozenset[str]:
        """The lists that stay open in the next trace."""
        return frozenset(self.grown - self.read)

    def learn(self, trace: trace_state.Trace) -> None:
        """Note the lists of a trace that made a graph."""
        self.grown |= FEATURE.of(trace).grown

    def close(self, trace: trace_state.Trace) -> None:
        """Note the list that a failed trace has read."""
        self.read |= {FEATURE.of(trace).read or ""}


KNOWN = OwnedState(__name__, KnownLists)

FEATURE = hooks.Feature(__name__, hooks.GAIN, "lists that calls append to stay open", state=Growth)


class NewItems:
    """The items of an open list, for Dynamo: new ones can be added, and the last ones of these be read."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner

    def append(self, item: Any) -> None:
        self.owner.tail.append(item)

    def extend(self, items: Iterable[Any]) -> None:
        self.owner.tail.extend(items)

    def __iadd__(self, items: Iterable[Any]) -> NewItems:
        self.extend(items)
        return self

    def __getitem__(self, index: Any) -> Any:
        if type(index) is int and -len(self.owner.tail) <= index < 0:
            return self.owner.tail[index]
        return self.refuse()

    def refuse(self, *args: Any) -> Any:
        """End the trace, whatever else Dynamo asks for."""
        name, trace = source_name(self.owner.source), trace_state.local.trace
        assert trace is not None
        FEATURE.of(trace).read = name
        raise trace_state.SiteRefused(READ.format(name))

    __len__ = __iter__ = __contains__ = __setitem__ = __delitem__ = __eq__ = refuse

    def __getattr__(self, name: str) -> Any:
        return self.refuse()


@functools.lru_cache(maxsize=None)
def list_class() -> type:
    """Dynamo's class of variables for open lists; imported late, because Dynamo may not be loaded yet."""
    from ..base.torch_names import BaseListVariable, ConstantVariable, ListVariable

    class OpenList(ListVariable):  # type: ignore[misc]  # a class of Dynamo, unknown to mypy
        """A list from before the call; `tail` has the items that the call has appended."""

        @property
        def items(self) -> NewItems:
            return NewItems(self)

        @items.setter
        def items(self, items: Any) -> None:
            if "tail" not in vars(self):
                self.tail = items
            elif not isinstance(items, NewItems):
                NewItems(self).refuse()

        def __repr__(self) -> str:
            return f"{type(self).__name__}({source_name(self.source)})"

        def is_python_constant(self) -> bool:
            return False

        def as_python_constant(self) -> Any:
            return super(BaseListVariable, self).as_python_constant()  # raises

        def call_method(self, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
            if name == "extend" and len(args) == 1 and not kwargs:
                self.add(tx, args[0])
                return ConstantVariable.create(None)
            return super().call_method(tx, name, args, kwargs)

        def sq_inplace_concat_impl(self, tx: Any, other: Any) -> Any:
            """The operator `+=`; releases before 2.12 extend `items` themselves."""
            self.add(tx, other)
            return self

        def add(self, tx: Any, added: Any) -> None:
            """Append the items of a list or tuple; Dynamo's own methods would ask for the length."""
            added = added.realize()
            if not isinstance(added, BaseListVariable):
                NewItems(self).refuse()
            tx.output.side_effects.mutation(self)
            self.tail.extend(added.items)

    return OpenList


def is_open(variable: Any) -> bool:
    """Whether Dynamo's variable is an open list."""
    return type(variable) is list_class()


@FEATURE.hook("list_iterator.create")
def refuse_iterator(make: Any, trace: trace_state.Trace, self: Any, items: Any, *args: Any, **kwargs: Any) -> Any:
    """End the trace where the program goes over the items of an open list."""
    return items.refuse() if type(items) is NewItems else hooks.DECLINED


@FEATURE.hook("variable.build")
def keep_open(build: Any, trace: trace_state.Trace, self: Any, value: Any) -> Any:
    """Build a list without its items if earlier graphs have only appended to it."""
    from ..base.torch_names import GuardBuilder

    effects = self.tx.output.side_effects
    if type(value) is not list or value in effects or source_name(self.source) not in FEATURE.of(trace).open:
        return hooks.DECLINED
    self.install_guards(GuardBuilder.TYPE_MATCH)
    return effects.track_mutable(value, list_class()([], source=self.source))


@FEATURE.hook("effects.codegen")
def add_items(write: Any, trace: trace_state.Trace, self: Any, cg: Any, *args: Any, **kwargs: Any) -> Any:
    """Emit code that extends the open lists, then Dynamo's code for everything else."""
    from ..base.torch_names import create_call_function, create_instruction

    changed = [variable for variable in self._get_modified_vars() if is_open(variable)]
    for variable in changed:
        cg.add_push_null(lambda: cg.load_import_from(__name__, "extend"))
        cg(variable.source)
        cg.foreach(variable.tail)
        cg.append_output(create_instruction("BUILD_LIST", arg=len(variable.tail)))
        cg.extend_output(create_call_function(2, False))
        cg.append_output(create_instruction("POP_TOP"))
        variable.mutation_type.is_modified = False
    try:
        return write(self, cg, *args, **kwargs)
    finally:
        for variable in changed:
            variable.mutation_type.is_modified = True


def note_grown(trace: trace_state.Trace, output: Any) -> None:
    """Note the lists that a graph only appends to; refuse a graph that has read an open list."""
    growth = FEATURE.of(trace)
    if growth.read is not None:
        raise trace_state.SiteRefused(READ.format(growth.read))
    growth.grown.update(source_name(variable.source) for variable in grown_lists(output))


def grown_lists(output: Any) -> Iterator[Any]:
    """The lists from before the call that have new items behind their own, which nobody has read."""
    from ..base.torch_names import LazyVariableTracker, ListVariable

    effects = output.side_effects
    for variable in effects.id_to_variable.values():
        if type(variable) is not ListVariable or variable.source is None or is_queue(variable):
            continue
        before = real(variable) if effects.is_modified(variable) else None
        if type(before) is list and len(before) < len(variable.items):
            own = variable.items[: len(before)]
            if all(type(item) is LazyVariableTracker and not item.is_realized() for item in own):
                yield variable
