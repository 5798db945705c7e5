"""The treatment of data-dependent numbers: symbols of the graph, or constants.

    n = lengths.max().item()
    return x[:n]                # one graph for all n, or one graph for each n

`NumberPolicy` has the treatment in the next attempt to convert a frame; the loop of attempts changes the policy.
`KnownNumbers` has the findings of earlier attempts and calls of a callable, and gives the policy of the first attempt.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable

from ..base.owned_state import OwnedState
from ..base.trace_state import CallableRecord, Trace
from ..capture import assumptions

MAX_CONSTANTS = 4  # Dynamo has no more than 8 graphs of a function, and runs it as it is from then on


@dataclasses.dataclass
class NumberPolicy:
    """The treatment of numbers in the next attempt."""

    symbolic: bool  # numbers stay symbolic, however many there are
    items: bool = True  # numbers in inputs may be constants, too
    fixed: bool = False  # numbers are constants of the graph
    crowded: bool = False  # numbers are constants only because they are many
    tried: bool = False  # an attempt had the numbers as constants
    bound: bool = False  # numbers are constants because the compiler accepts no symbols
    held: dict[str, Any] = dataclasses.field(default_factory=dict)  # numbers of modules in earlier traces, by source

    def begin(self, trace: Trace) -> None:
        """Hand the treatment to a trace."""
        numbers = assumptions.Numbers(self.symbolic, self.items, self.fixed, dict(self.held))
        assumptions.FEATURE.begin(trace, numbers)

    def resume(self, earlier: NumberPolicy) -> None:
        """Take over the treatment from the last attempt of an earlier call in eager Python."""
        self.fixed, self.tried, self.crowded = earlier.fixed, earlier.tried, earlier.crowded
        self.symbolic |= earlier.symbolic

    def keep_symbols(self) -> None:
        """Let numbers stay symbolic."""
        self.symbolic = True

    def fix(self, failed: Trace) -> None:
        """Make numbers constants from the beginning of the next trace."""
        self.fixed, self.tried = True, True
        self.crowded = assumptions.numbers_of(failed).crowded and not self.symbolic

    def fix_for_compiler(self, failed: Trace, refuses_symbols: bool) -> None:
        """Make numbers constants; `refuses_symbols`: the compiler accepts no symbols."""
        self.fix(failed)
        self.bound = refuses_symbols

    def return_to_symbols(self) -> None:
        """Give up constants for a large count of numbers."""
        self.fixed, self.crowded, self.symbolic = False, False, True


@dataclasses.dataclass
class KnownNumbers:
    """The findings about the numbers of a callable."""

    constants: int = 0  # graphs for one integer of an input alone
    varying: bool = False  # numbers that data decide have been others than a graph assumed
    crowded: bool = False  # numbers are too many to be left open

    def report(self) -> dict[str, Any]:
        """The state as data for JSON."""
        return {"constants": self.constants, "varying": self.varying, "crowded": self.crowded}

    def first(self, whole: bool, is_fixed: bool, held: dict[str, Any]) -> NumberPolicy:
        """The treatment in the first attempt; `is_fixed` by the profile, `held` are numbers in earlier traces."""
        fixed = whole and (self.crowded or is_fixed)
        return NumberPolicy(self.varying, self.constants < MAX_CONSTANTS, fixed, tried=fixed, held=held)

    def vary(self) -> None:
        """Note a graph with wrong assumptions about numbers."""
        self.varying = True

    def learn(self, trace: Trace) -> None:
        """Note the numbers of a successful trace."""
        numbers = assumptions.numbers_of(trace)
        self.constants += numbers.constants
        self.crowded |= numbers.fixed and numbers.symbols > assumptions.MOST

    def believe(self, symbolic: bool) -> Callable[[], None]:
        """Begin with the profile of earlier processes; returns a function to forget the profile."""
        before = self.varying
        self.varying = before or symbolic

        def forget() -> None:
            self.varying = before

        return forget


KNOWN = OwnedState(__name__, KnownNumbers)


def known_numbers(record: CallableRecord) -> KnownNumbers:
    """The numbers of a callable."""
    return KNOWN.of(record)
