"""State that one module owns, of a trace or of a compiled callable.

    @dataclasses.dataclass
    class Locals:
        reads: int = 0  # calls of `locals()` so far

    LOCALS = OwnedState(__name__, Locals)

    LOCALS.of(trace).reads += 1

`Trace` and `CallableRecord` hold such states without a look inside. The owner of a state is the module of its class:
the owner alone writes to the fields, and `tools/check_state.py` checks it. Other modules read, or call functions and
methods of the owner.
"""

from __future__ import annotations

from typing import Any, Callable, Generic, Optional, Protocol, TypeVar

State = TypeVar("State")


class Holder(Protocol):
    """A trace or a callable: `notes` has the states, by module."""

    notes: dict[str, Any]


class OwnedState(Generic[State]):
    """The state of one module. `make` returns the state with which a trace or a callable begins."""

    def __init__(self, module: str, make: Optional[Callable[[], State]]) -> None:
        self.module, self.make = module, make

    def of(self, holder: Holder) -> State:
        """The state in a trace or callable."""
        try:
            found: State = holder.notes[self.module]
        except KeyError:
            assert self.make is not None
            found = holder.notes[self.module] = self.make()
        return found

    def of_graph(self, holder: Holder, output: Any) -> State:
        """The state in one graph of a trace; `make` returns a new state for another graph. The field `output` of the
        state has Dynamo's object of the graph.
        """
        state: Any = self.of(holder)
        if state.output is not output:
            assert self.make is not None
            state = self.make()
            state.output = output
            self.begin(holder, state)
        found: State = state
        return found

    def begin(self, holder: Holder, state: State) -> None:
        """Let a trace or callable begin with another state than `make` returns."""
        holder.notes[self.module] = state
