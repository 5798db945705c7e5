"""Numbers of the two sides of a branch, merged into a number of the graph.

    if loss.item() < best:      # a graph for both sides
        best, bad = loss.item(), 0
    else:
        bad = bad + 1           # data decide `best` and `bad` from here on

Each number becomes a 0-d tensor, in double precision or of 64 bits: the tensor holds Python's number exactly. The graph
selects a tensor, and reads the number from the tensor, as `.item()` does. A graph without merged numbers follows the
path of a call.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from ..base import hooks, trace_state
from ..base.dynamo_values import constant, translator
from ..base.owned_state import OwnedState
from .dynamic_counters import is_counted
from .identity_guard import type_of


@dataclasses.dataclass
class Merged:
    """The merged numbers of a graph, and the sites of the branches."""

    output: Any = None
    count: int = 0
    sites: dict[str, None] = dataclasses.field(default_factory=dict)

    def note(self, site: str) -> None:
        """Note a further merged number."""
        self.count += 1
        self.sites[site] = None


MERGED = OwnedState(__name__, Merged)

MOST = 8  # merged numbers of a graph: many symbols cost a compiler more than the paths of the calls
LARGE = 2**62  # 64 bits hold what calls count from here on


@constant
def merges_numbers(site: str, first: str, second: str) -> bool:
    """Whether two variables of the calling frame are different numbers of a type, and the graph may merge both."""
    trace, output = trace_state.local.trace, translator().output
    if trace is None or not trace.whole or hooks.features_off:
        return False
    names = output.current_tx.symbolic_locals
    left, right = names[first].realize(), names[second].realize()
    kind = type_of(left)
    if kind not in (int, float, bool) or type_of(right) is not kind or is_same(left, right):
        return False
    merged = MERGED.of_graph(trace, output)
    if merged.count == MOST or not (can_be_held(left) and can_be_held(right)):
        return False
    merged.note(site)
    return True


def is_same(left: Any, right: Any) -> bool:
    """Whether two numbers are equal in every call: equal constants, or the same symbol."""
    if left.is_python_constant() and right.is_python_constant():
        first, second = left.as_python_constant(), right.as_python_constant()
        return bool(first == second) and str(first) == str(second)  # 0.0 is not -0.0
    first, second = (getattr(variable, "sym_num", None) for variable in (left, right))
    return first is not None and second is not None and bool(first.node.expr == second.node.expr)


def can_be_held(variable: Any) -> bool:
    """Whether the graph holds a number: AOTAutograd takes a constant -0.0 for 0.0, and 64 bits have an end, which only
    counting does not reach.
    """
    if not variable.is_python_constant():
        number = getattr(variable, "sym_num", None)
        return number is not None and (type_of(variable) is not int or is_counted(number.node.expr))
    number = variable.as_python_constant()
    return str(number) != "-0.0" if isinstance(number, float) else abs(number) < LARGE
