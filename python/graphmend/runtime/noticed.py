"""Calls in what a deferred effect shows, `print(x.item(), self.lr())`: they are made where they stand, the rest later.

What Python computes in front of such a call is computed behind it, then. Nobody can tell if the call leaves everything
as it was: no effects, no objects or tensors from before it written to, no random numbers drawn.
"""

from __future__ import annotations

from typing import Any, Iterable

from torch.compiler import is_dynamo_compiling

from . import op_facts, prove, state
from .dialect import refuse, traced
from .tracing import constant, translator


class Watch:
    """What a graph does from some place on."""

    def __init__(self, output: Any) -> None:
        self.output = output
        self.nodes = len(output.graph.nodes)
        self.draws = len(output.random_calls)
        self.written: list[Any] = []  # Dynamo's variables
        effects = output.side_effects
        check = self.check = effects.check_allowed_side_effect

        def noting(variable: Any) -> Any:
            self.written.append(variable)
            return check(variable)

        effects.check_allowed_side_effect = noting

    def end(self) -> None:
        """Watch no longer; what has been written to is known."""
        self.output.side_effects.check_allowed_side_effect = self.check


def noticed() -> int:
    """Begin to watch what the calls do whose values are asked for next; gives the number of the watch."""
    return begin() if is_dynamo_compiling() and traced() else -1


def unnoticed(site: str, number: int, values: Any) -> Any:
    """The values, if nobody can tell whether the calls that gave them were made before the rest was computed."""
    if number >= 0 and not passed_unseen(number, "values"):
        refuse(site, "a call in what it shows does more than to compute, behind something that is computed later")
    return values


@constant
def begin() -> int:
    """Begin a watch, inside of those that have not ended."""
    trace = state.local.trace
    assert trace is not None
    trace.watches.append(Watch(translator().output))
    return len(trace.watches) - 1


@constant
def passed_unseen(number: int, name: str) -> bool:
    """End a watch, and those in it that an exception has left open; whether nothing has been done meanwhile.

    The values of this name in the calling frame are those that the calls and what is around them gave.
    """
    trace, output = state.local.trace, translator().output
    assert trace is not None
    for watch in reversed(trace.watches[number:]):
        watch.end()
    watch = trace.watches[number]
    del trace.watches[number:]
    if watch.output is not output or len(output.random_calls) != watch.draws:
        return False
    shown = containers_in(output.current_tx.symbolic_locals[name].unpack_var_sequence(output.current_tx))
    if any(is_older(variable) or id(variable) in shown for variable in watch.written):
        return False
    nodes = list(output.graph.nodes)
    return only_computes(nodes[: watch.nodes], nodes[watch.nodes :])


def is_older(variable: Any) -> bool:
    """Whether an object is from before the call."""
    from torch._dynamo.variables.base import AttributeMutationNew, ValueMutationNew

    return not isinstance(variable.mutation_type, (AttributeMutationNew, ValueMutationNew))


def containers_in(variables: Iterable[Any]) -> set[int]:
    """Identities of Dynamo's variables for containers that the call has made, inside of others as well."""
    found: set[int] = set()
    waiting = list(variables)
    while waiting:
        variable = waiting.pop()
        if id(variable) in found or variable.source is not None:
            continue
        found.add(id(variable))
        items = vars(variable.realize()).get("items")  # elsewhere a property that may raise
        waiting += items.values() if isinstance(items, dict) else items if isinstance(items, (list, tuple)) else ()
    return found


def only_computes(before: list[Any], nodes: list[Any]) -> bool:
    """Whether nodes draw nothing and write to nothing that those before them know."""
    written: set[int] = set()
    for node in nodes:
        calls = prove.calls_behind(node)
        if calls is None or any(op_facts.draws(overload) for overload, _, _ in calls):
            return False
        written |= prove.writes_of(node)
    return not written or written.isdisjoint(prove.storages_in(before))
