"""Warm-up calls: calls that prepare later calls, and so break the graph once.

    def forward(self, x):
        if self.table is None:
            with LOCK:                      # met in the first call alone
                self.table = make_table()

The first call of a program may take a lock, install hooks, make layers, or look for packages. No graph can hold the
code, and no later call runs the code again. The warm-up call runs in eager Python, and the next call is traced anew.
The data may also lead a later call to code of this kind. A callable that breaks twice at the same place is compiled in
parts from then on.
"""

from __future__ import annotations

from typing import Any

from ..base import folders, torch_names
from ..base.call_stack import innermost
from ..base.dynamo_values import kind_of_break
from ..base.folders import is_pythons_own
from ..external import cache_answers
from ..shims import loggers

MAX_TRIES = 2

# Kinds of breaks at code that prepares: locks, writing to what is no object of the program, new layers, empty caches.
PREPARING = frozenset(
    (
        "Unsupported context manager",
        "setattr() on unsupported type",
        "Attempted to use `torch.nn.Parameter()` constructor with Dynamo",
        "Uninitialized nn.Module",
        cache_answers.EMPTY,
        loggers.OTHER_LEVEL,
    )
)


class Preparation:
    """The failed traces of one callable at code that prepares."""

    def __init__(self) -> None:
        self.places: list[tuple[tuple[str, int], ...]] = []  # lines down to each break
        self.filled = (
            False  # a call has been left to eager Python because it fills in an attribute (lazy_attributes.py)
        )

    def may_wait(self) -> bool:
        """Whether one more place may be left to eager Python."""
        return len(self.places) < MAX_TRIES

    def lines(self) -> set[tuple[str, int]]:
        """The lines of the breaks so far."""
        return {place[-1] for place in self.places}

    def may_be_over(self, error: Any) -> bool:
        """Whether the failure may be gone once the call has run in eager Python; call once a failure."""
        place = place_of_preparation(error) or place_of_question(error)
        if not place or place in self.places or not self.may_wait():
            return False
        self.places.append(place)
        return True


def place_of_preparation(error: Any) -> tuple[Any, ...]:
    """The lines of the program down to a break at code that prepares; empty for other breaks."""
    stack = getattr(error, "real_stack", None)
    if kind_of_break(error) not in PREPARING or not stack or is_pythons_own(stack[-1].filename):
        return ()
    return tuple((frame.filename, frame.lineno) for frame in stack)


def place_of_question(error: Any) -> tuple[Any, ...]:
    """The line of an exception from a function that Dynamo calls while it traces; empty for other errors.

    `importlib.metadata.version` is an example: programs ask once whether a package is installed, and keep the answer.
    """
    step = innermost(error) if isinstance(error, torch_names.InternalTorchDynamoError) else None
    if step is None or step.tb_frame.f_code.co_filename.startswith((folders.TORCH, folders.RUNTIME)):
        return ()
    return step.tb_frame.f_code.co_filename, step.tb_lineno
