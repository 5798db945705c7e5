"""Calls among the arguments of a deferred effect: run at their place, while the effect itself waits.

    print(x.item(), self.lr())     # `self.lr()` runs during the trace, `x.item()` behind the graph

The call now runs before computations that stood in front of it. The program cannot tell if the call is pure: no
effects, no writes to older objects or tensors, no random numbers. A watch observes the graph and the side effects from
the start of the calls to their end.
"""

from __future__ import annotations

from typing import Any

from torch.compiler import is_dynamo_compiling

from ..analysis import aten_facts, branch_proofs, node_facts
from ..base import hooks, trace_state
from ..base.dynamo_values import constant, translator
from ..capture.dialect import traced
from ..capture.trace_time import refuse


class Watches:
    """The state of one trace: the number of objects so far, and the open watches."""

    def __init__(self) -> None:
        self.births = 0
        self.open: list[Watch] = []


FEATURE = hooks.Feature(
    __name__, hooks.GUARD, "the age of the objects that a trace comes by", rules=("GM3", "GM5"), state=Watches
)


class Watch:
    """The state of the graph at the start of a watch."""

    def __init__(self, output: Any, births: int) -> None:
        self.output = output
        self.effects = output.side_effects
        self.births = births
        self.last = next(reversed(output.graph.nodes), None)
        self.draws = len(output.random_calls)
        self.written: list[Any] = []  # Dynamo's variables

    def knows(self, variable: Any) -> bool:
        """Whether an object is older than the watch."""
        from ..base.torch_names import AttributeMutationNew, ValueMutationNew

        is_new = isinstance(variable.mutation_type, (AttributeMutationNew, ValueMutationNew))
        return not is_new or getattr(variable.mutation_type, "birth", 0) <= self.births


@FEATURE.hook("mutation.create")
def number_object(create: Any, trace: trace_state.Trace, self: Any, *args: Any) -> None:
    """Number a new object of the trace."""
    create(self, *args)
    watches = FEATURE.of(trace)
    watches.births += 1
    self.birth = watches.births


def noticed() -> int:
    """Start a watch over the calls whose values are computed next; returns the number of the watch."""
    return begin() if is_dynamo_compiling() and traced() else -1


def unnoticed(site: str, number: int, values: Any) -> Any:
    """The values, unless the calls behind them were impure since the start of the watch."""
    if number >= 0 and not passed_unseen(number):
        refuse(site, "a call in what it shows does more than to compute, behind something that is computed later")
    return values


@constant
def begin() -> int:
    """Start a watch inside the open watches."""
    trace = trace_state.local.trace
    assert trace is not None
    watches, output = FEATURE.of(trace), translator().output
    if all(watch.output is not output for watch in watches.open):
        watches.open.clear()  # Dynamo has restarted the trace
    watches.open.append(Watch(output, watches.births))
    return len(watches.open) - 1


@FEATURE.hook("effects.check")
def note_write(check: Any, trace: trace_state.Trace, self: Any, variable: Any) -> Any:
    """Note in the open watches a write of the program to an object."""
    for watch in FEATURE.of(trace).open:
        watch.written.append(variable)
    return hooks.DECLINED


@constant
def passed_unseen(number: int) -> bool:
    """End a watch, with inner watches left open by an exception; returns whether the watched calls were pure."""
    trace, output = trace_state.local.trace, translator().output
    assert trace is not None
    watches = FEATURE.of(trace).open
    watch = watches[number]
    del watches[number:]
    is_same_trace = watch.output is output and watch.effects is output.side_effects  # Dynamo may replace both
    if not is_same_trace or len(output.random_calls) != watch.draws:
        return False
    if any(map(watch.knows, watch.written)):
        return False
    nodes = list(output.graph.nodes)  # new inputs stand in front
    start = 0 if watch.last is None else nodes.index(watch.last) + 1
    return only_computes(nodes[:start], nodes[start:])


def only_computes(before: list[Any], nodes: list[Any]) -> bool:
    """Whether nodes draw no random numbers and write to no memory of earlier nodes."""
    written: set[int] = set()
    for node in nodes:
        calls = branch_proofs.calls_behind(node)
        if calls is None or any(aten_facts.draws(*call) for call in calls):
            return False
        written |= node_facts.writes_of(node)
    return not written or written.isdisjoint(node_facts.storages_in(before))
