"""Calls that break because they prepare what later calls find ready.

At its first call a program may take a lock to install hooks or to compute an attribute, count the hooks in their
class, or make layers. Dynamo can put none of that into a graph, and no later call does it again. Such a call runs in
eager Python, which is all that it means, and the next one is traced anew. Whether that helps only the next trace
tells; a callable that breaks twice at one place is compiled in parts from then on.
"""

from __future__ import annotations

from typing import Any

from ..base.dynamo_values import kind_of_break
from ..base.folders import is_pythons_own

MAX_TRIES = 2

# What Dynamo calls the breaks at code that prepares: locks, writing to what is no object of the program, new layers.
PREPARING = frozenset(
    (
        "Unsupported context manager",
        "setattr() on unsupported type",
        "Attempted to use `torch.nn.Parameter()` constructor with Dynamo",
        "Uninitialized nn.Module",
    )
)


class Preparation:
    """The traces of one callable that failed before any succeeded."""

    def __init__(self) -> None:
        self.places: list[tuple[tuple[str, int], ...]] = []
        self.filled = (
            False  # a call has been left to eager Python because it fills in an attribute (lazy_attributes.py)
        )

    def may_be_over(self, error: Any) -> bool:
        """Whether the failure may be gone once the call has run in eager Python; to be asked once a failure."""
        stack = getattr(error, "real_stack", None)
        if kind_of_break(error) not in PREPARING or not stack or len(self.places) == MAX_TRIES:
            return False
        place = tuple((frame.filename, frame.lineno) for frame in stack)
        if place in self.places or is_pythons_own(stack[-1].filename):
            return False
        self.places.append(place)
        return True
