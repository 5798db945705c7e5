"""Lists that calls append to: one graph serves every length.

    def forward(self, x):
        loss = self.net(x).mean()
        self.history.append(loss.detach())   # Dynamo guards the length: one graph a call, and none after eight
        if len(self.history) > 100:
            self.history.pop(0)
        return loss

After a graph has appended to a list from before the call, later traces keep the list open: its variable holds the new
items alone, and the guard asks for the type and not for the length. A length that the program asks for is a symbol of
the graph. Behind the graph, items are removed from the front and added to the end. The last items may be read: new
items from the variable, and numbers from before the call by the prologue (`external/list_reads.py`). A trace that reads
anything else makes the variable a list with all its items, and guards the length.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
from typing import Any, Callable, Iterable, Iterator, Optional

from ..base import hooks, trace_state
from ..base.dynamo_values import real, source_name, translator
from ..base.effect_queue import is_queue
from ..base.owned_state import OwnedState

extend = list.extend  # the code around a graph loads it from here


def shorten(items: list[Any], count: int) -> None:
    """Remove the first items of a list; the code around a graph calls it."""
    list.__delitem__(items, slice(None, count))


@dataclasses.dataclass
class KnownLists:
    """The lists of one callable, by the names of their sources."""

    grown: set[str] = dataclasses.field(default_factory=set)  # lists that its graphs only append to
    read: dict[str, set[int]] = dataclasses.field(default_factory=dict)  # identities of lists read in front of graphs

    def may_read(self, name: str, identity: int) -> bool:
        """Whether a graph may read a list of a source in the prologue; each list costs a graph."""
        read = self.read.setdefault(name, set())
        if identity not in read and len(read) < MOST_LISTS:
            read.add(identity)
        return identity in read

    def report(self) -> dict[str, Any]:
        """The state as data for JSON."""
        return {"growing_lists": sorted(self.grown)}

    def open(self) -> frozenset[str]:
        """The lists that stay open in the next trace."""
        return frozenset(self.grown)

    def learn(self, trace: trace_state.Trace) -> None:
        """Note the lists of a trace that made a graph."""
        self.grown |= FEATURE.of(trace).grown


@dataclasses.dataclass
class Growth:
    """The open lists of one trace, by the names of their sources."""

    open: frozenset[str] = frozenset()  # lists that earlier graphs have appended to; they may stay open
    read: Optional[Callable[[Any, int], Any]] = (
        None  # reads one of the last items before the call, by place from the end
    )
    known: KnownLists = dataclasses.field(default_factory=KnownLists)  # the lists of the callable
    grown: set[str] = dataclasses.field(default_factory=set)  # lists that this graph only appends to


KNOWN = OwnedState(__name__, KnownLists)
MOST_LISTS = 3  # lists of one source that graphs read in front of their runs
MOST = 16  # items at the end of a list that a trace reads one by one
OWN = ("tail", "known", "removed", "before", "ends")  # attributes of variables for open lists

FEATURE = hooks.Feature(__name__, hooks.GAIN, "lists that calls append to stay open", state=Growth)


class NewItems:
    """The items of an open list, for Dynamo: new ones can be added, and the last ones of these be read.

    Whatever else Dynamo asks for needs all items.
    """

    def __init__(self, owner: Any) -> None:
        self.owner = owner

    def append(self, item: Any) -> None:
        self.owner.tail.append(item)

    def extend(self, items: Iterable[Any]) -> None:
        self.owner.tail.extend(items)

    def __iadd__(self, items: Any) -> Any:
        self.extend(items)
        return self

    def __getitem__(self, index: Any) -> Any:
        if type(index) is int and index < 0:
            last = self.owner.from_end(-index)
        elif type(index) is slice and type(index.start) is int and index.start < 0 and index.stop is index.step is None:
            last = self.owner.last_items(-index.start)
        else:
            last = None
        return self.owner.all_items()[index] if last is None else last

    def __setitem__(self, index: Any, value: Any) -> None:
        self.owner.all_items()[index] = value

    def __delitem__(self, index: Any) -> None:
        del self.owner.all_items()[index]

    def __len__(self) -> int:
        return len(self.owner.all_items())

    def __iter__(self) -> Iterator[Any]:
        return iter(self.owner.all_items())

    def __contains__(self, item: Any) -> bool:
        return item in self.owner.all_items()

    def __eq__(self, other: object) -> bool:
        return bool(self.owner.all_items() == other)

    def __add__(self, other: Any) -> Any:
        return self.owner.all_items() + other

    def __mul__(self, count: Any) -> Any:
        return self.owner.all_items() * count

    __rmul__ = __mul__

    def __reversed__(self) -> Any:
        return reversed(self.owner.all_items())

    def clear(self) -> None:
        self.owner.tail, self.owner.known = [], True

    def __getattr__(self, name: str) -> Any:
        return getattr(self.owner.all_items(), name)


def growth() -> Growth:
    """The open lists of the present trace."""
    trace = trace_state.local.trace
    return Growth() if trace is None else FEATURE.of(trace)


@functools.lru_cache(maxsize=None)
def list_class() -> type:
    """Dynamo's class of variables for open lists; imported late, because Dynamo may not be loaded yet."""
    from ..base.torch_names import (
        BaseListVariable,
        ConstantVariable,
        GetItemSource,
        GuardBuilder,
        LazyVariableTracker,
        ListVariable,
        SymNodeVariable,
        install_guard,
    )

    class OpenList(ListVariable):  # type: ignore[misc]  # a class of Dynamo, unknown to mypy
        """A list from before the call; `tail` has the items that the call has appended."""

        @property
        def items(self) -> Any:
            return self.tail if self.known else NewItems(self)

        @items.setter
        def items(self, items: Any) -> None:
            if "tail" not in vars(self):
                self.known = self.source is None  # the tail has all items, such as those of a sum with another list
                self.removed = 0  # own items that the call has removed from the front
                self.before: Any = None  # the length before the call, as a symbol; None before the first question
                self.ends: dict[int, Any] = {}  # own items that the trace has read, by place from the end
                self.tail = items
            elif not isinstance(items, NewItems):
                self.tail, self.known = list(items), True

        def from_end(self, place: int) -> Any:
            """The item at a place from the end, 1 for the last one; None where only the length tells."""
            if place <= len(self.tail):
                return self.tail[-place]
            own, read = place - len(self.tail), growth().read
            if not self.known and own not in self.ends and read is not None:
                self.ends[own] = read(self, own)
            return self.ends.get(own)

        def last_items(self, count: int) -> Any:
            """The last items, or None."""
            items = [self.from_end(place) for place in range(count, 0, -1)] if count <= MOST else [None]
            return None if None in items else items

        def all_items(self) -> Any:
            """The items, own ones too: from here on the variable is one of a list of known length."""
            if not self.known:
                install_guard(self.source.make_guard(GuardBuilder.SEQUENCE_LENGTH))
                own = enumerate(translator().output.resolve_source_value(self.source))
                items = [LazyVariableTracker.create(item, GetItemSource(self.source, place)) for place, item in own]
                self.tail, self.known = items[self.removed :] + self.tail, True
            return self.tail

        def __repr__(self) -> str:
            return f"{type(self).__name__}({source_name(self.source)})"

        def clone(self, **changes: Any) -> Any:
            """A variable for a new list, such as a slice."""
            shared = {name: value for name, value in vars(self).items() if name not in OWN}
            items = changes.pop("items") if "items" in changes else self.all_items()
            return ListVariable(**{**shared, "items": items, **changes})

        def is_python_constant(self) -> bool:
            return False

        def as_python_constant(self) -> Any:
            return super(BaseListVariable, self).as_python_constant()  # raises

        def call_method(self, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
            if name == "extend" and len(args) == 1 and not kwargs and self.add(tx, args[0]):
                return ConstantVariable.create(None)
            if name == "__len__" and not args and not kwargs:
                return self.length(tx)
            if name == "pop" and takes_first(args, kwargs) and not self.known:
                return self.remove_first(tx)
            return super().call_method(tx, name, args, kwargs)

        def sq_length_impl(self, tx: Any) -> Any:
            return self.length(tx)

        mp_length_impl = sq_length = sq_length_impl

        def length(self, tx: Any) -> Any:
            """The number of items: a symbol, read in front of the graph, and the change that the call has made."""
            if self.known:
                return ConstantVariable.create(len(self.tail))
            if self.before is None:
                self.before = symbolic_length(tx, self.source)
            change = len(self.tail) - self.removed
            if self.before.is_python_constant():
                return ConstantVariable.create(self.before.as_python_constant() + change)
            return SymNodeVariable.create(tx, self.before.as_proxy() + change)

        def remove_first(self, tx: Any) -> Any:
            """Remove the first item, which the program throws away."""
            count = self.length(tx)
            number = count.as_python_constant() if count.is_python_constant() else count.sym_num
            is_own = bool(number > len(self.tail))
            if not is_own or getattr(tx.next_instruction, "opname", "") != "POP_TOP":
                self.all_items()
                return super().call_method(tx, "pop", [ConstantVariable.create(0)], {})
            tx.output.side_effects.mutation(self)
            self.removed += 1
            return ConstantVariable.create(None)

        def sq_inplace_concat_impl(self, tx: Any, other: Any) -> Any:
            """The operator `+=`; releases before 2.12 extend `items` themselves."""
            return self if self.add(tx, other) else super().sq_inplace_concat_impl(tx, other)

        def add(self, tx: Any, added: Any) -> bool:
            """Append the items of a list or tuple; False for another kind, which Dynamo adds to all items."""
            added = added.realize()
            if not isinstance(added, BaseListVariable):
                self.all_items()
                return False
            new = list(added.items)  # all of them are known from here on, should the list be an open one
            tx.output.side_effects.mutation(self)
            self.tail.extend(new)
            return True

    return OpenList


def takes_first(args: Any, kwargs: Any) -> bool:
    """Whether the arguments of `pop` name the first item."""
    return len(args) == 1 and not kwargs and args[0].is_python_constant() and args[0].as_python_constant() == 0


def symbolic_length(tx: Any, source: Any) -> Any:
    """Dynamo's variable for the length of a list before the call, which one graph takes for any number.

    The variable has no source: code behind the graph must not ask the list again, which the call has changed by then.
    """
    from ..base.torch_names import AttrSource, CallFunctionNoArgsSource, DimDynamic, SymNodeVariable, VariableBuilder

    place = CallFunctionNoArgsSource(AttrSource(source, "__len__"))
    count = len(tx.output.resolve_source_value(source))
    number = VariableBuilder(tx, place).wrap_symint(count, dynamism=DimDynamic.DYNAMIC)
    if number.is_python_constant():
        return number
    return SymNodeVariable.create(tx, number.as_proxy(), number.sym_num)


def is_open(variable: Any) -> bool:
    """Whether Dynamo's variable is an open list, with items that the trace does not know."""
    return type(variable) is list_class() and not vars(variable)["known"]


@FEATURE.hook("list_iterator.create")
def know_items(make: Any, trace: trace_state.Trace, self: Any, items: Any, *args: Any, **kwargs: Any) -> Any:
    """Let the program go over all items of an open list."""
    return make(self, items.owner.all_items() if type(items) is NewItems else items, *args, **kwargs)


@FEATURE.hook("builtin.call", of=(operator.not_,))
def ask_emptiness(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Answer `not` of an open list from its length."""
    if len(args) == 1 and is_open(args[0].realize()):
        return call(self, tx, [args[0].realize().length(tx)], kwargs)
    return hooks.DECLINED


@FEATURE.hook("variable.build")
def keep_open(build: Any, trace: trace_state.Trace, self: Any, value: Any) -> Any:
    """Build a list without its items if earlier graphs have only appended to it."""
    if type(value) is not list:
        return hooks.DECLINED
    from ..base.torch_names import GuardBuilder

    effects = self.tx.output.side_effects
    if value in effects or source_name(self.source) not in FEATURE.of(trace).open:
        return hooks.DECLINED
    self.install_guards(GuardBuilder.TYPE_MATCH)
    return effects.track_mutable(value, list_class()([], source=self.source))


@FEATURE.hook("effects.codegen")
def add_items(write: Any, trace: trace_state.Trace, self: Any, cg: Any, *args: Any, **kwargs: Any) -> Any:
    """Emit code that extends the open lists, then Dynamo's code for everything else."""
    from ..base.torch_names import create_call_function, create_instruction

    changed = [variable for variable in self._get_modified_vars() if is_open(variable)]
    for variable in changed:
        if variable.removed:
            cg.add_push_null(lambda: cg.load_import_from(__name__, "shorten"))
            cg(variable.source)
            cg.append_output(cg.create_load_const(variable.removed))
            cg.extend_output(create_call_function(2, False))
            cg.append_output(create_instruction("POP_TOP"))
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
    """Note the lists that a graph only appends to."""
    FEATURE.of(trace).grown.update(source_name(variable.source) for variable in grown_lists(output))


def grown_lists(output: Any) -> Iterator[Any]:
    """The lists from before the call that have new items behind their own, which nobody has read."""
    from ..base.torch_names import LazyVariableTracker, ListVariable

    effects = output.side_effects
    for variable in effects.id_to_variable.values():
        if type(variable) is not ListVariable or variable.source is None or is_queue(variable):
            continue
        before = real(variable) if effects.is_modified(variable) else None
        if type(before) is list and len(before) < len(variable.items):
            if all(type(item) is LazyVariableTracker for item in variable.items[: len(before)]):
                yield variable
