"""Calls in what a deferred effect shows, `print(x.item(), self.lr())`: they are made where they stand, the rest later.

What Python computes in front of such a call is computed behind it, then. Nobody can tell if the call leaves everything
as it was: no effects, no objects or tensors from before it written to, no random numbers drawn.
"""

from __future__ import annotations

from typing import Any

from torch.compiler import is_dynamo_compiling

from ..analysis import aten_facts, branch_proofs, node_facts
from ..base import hooks, trace_state
from ..base.dynamo_values import constant, translator
from ..capture.dialect import refuse, traced


class Watches:
    """The state of one trace: the number of objects so far, and the watches that have not ended."""

    def __init__(self) -> None:
        self.births = 0
        self.open: list[Watch] = []


FEATURE = hooks.Feature(
    __name__, hooks.GUARD, "the age of the objects that a trace comes by", rules=("GM3", "GM5"), state=Watches
)


class Watch:
    """What a graph does from some place on."""

    def __init__(self, output: Any, births: int) -> None:
        self.output = output
        self.effects = output.side_effects
        self.births = births
        self.last = next(reversed(output.graph.nodes), None)
        self.draws = len(output.random_calls)
        self.written: list[Any] = []  # Dynamo's variables

    def knows(self, variable: Any) -> bool:
        """Whether an object is from before the watch."""
        from ..base.torch_names import AttributeMutationNew, ValueMutationNew

        made = isinstance(variable.mutation_type, (AttributeMutationNew, ValueMutationNew))
        return not made or getattr(variable.mutation_type, "birth", 0) <= self.births


@FEATURE.hook("mutation.create")
def number_object(create: Any, trace: trace_state.Trace, self: Any, *args: Any) -> None:
    """Number the object that the trace comes by."""
    create(self, *args)
    watches = FEATURE.of(trace)
    watches.births += 1
    self.birth = watches.births


def noticed() -> int:
    """Begin to watch what the calls do whose values are asked for next; gives the number of the watch."""
    return begin() if is_dynamo_compiling() and traced() else -1


def unnoticed(site: str, number: int, values: Any) -> Any:
    """The values, if nobody can tell whether the calls that gave them were made before the rest was computed."""
    if number >= 0 and not passed_unseen(number):
        refuse(site, "a call in what it shows does more than to compute, behind something that is computed later")
    return values


@constant
def begin() -> int:
    """Begin a watch, inside of those that have not ended."""
    trace = trace_state.local.trace
    assert trace is not None
    watches, output = FEATURE.of(trace), translator().output
    if all(watch.output is not output for watch in watches.open):
        watches.open.clear()  # a trace that Dynamo starts again
    watches.open.append(Watch(output, watches.births))
    return len(watches.open) - 1


@FEATURE.hook("effects.check")
def note_write(check: Any, trace: trace_state.Trace, self: Any, variable: Any) -> Any:
    """Tell the watches of a graph which objects the program writes to."""
    for watch in FEATURE.of(trace).open:
        if watch.effects is self:
            watch.written.append(variable)
    return check(self, variable)


@constant
def passed_unseen(number: int) -> bool:
    """End a watch, and those in it that an exception has left open; whether nothing has been done meanwhile."""
    trace, output = trace_state.local.trace, translator().output
    assert trace is not None
    watches = FEATURE.of(trace).open
    watch = watches[number]
    del watches[number:]
    followed = watch.output is output and watch.effects is output.side_effects  # Dynamo may put a copy there
    if not followed or len(output.random_calls) != watch.draws:
        return False
    if any(map(watch.knows, watch.written)):
        return False
    nodes = list(output.graph.nodes)  # new inputs come in front
    behind = 0 if watch.last is None else nodes.index(watch.last) + 1
    return only_computes(nodes[:behind], nodes[behind:])


def only_computes(before: list[Any], nodes: list[Any]) -> bool:
    """Whether nodes draw nothing and write to nothing that those before them know."""
    written: set[int] = set()
    for node in nodes:
        calls = branch_proofs.calls_behind(node)
        if calls is None or any(aten_facts.draws(*call) for call in calls):
            return False
        written |= node_facts.writes_of(node)
    return not written or written.isdisjoint(branch_proofs.storages_in(before))
