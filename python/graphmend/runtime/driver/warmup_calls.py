"""Calls that break because they prepare what later calls find ready.

At its first call a program may take a lock to install hooks or to compute an attribute, count the hooks in their
class, make layers, or look which packages are installed. Dynamo can put none of that into a graph, and no later call
does it again. Such a call runs in eager Python, which is all that it means, and the next one is traced anew. Whether
that helps only the next trace tells; a callable that breaks twice at one place is compiled in parts from then on.
"""

from __future__ import annotations

from typing import Any

from ..base import folders, torch_names
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
        self.places: list[tuple] = []
        self.filled = (
            False  # a call has been left to eager Python because it fills in an attribute (lazy_attributes.py)
        )

    def may_be_over(self, error: Any) -> bool:
        """Whether the failure may be gone once the call has run in eager Python; to be asked once a failure."""
        place = place_of_preparation(error) or place_of_question(error)
        if not place or place in self.places or len(self.places) == MAX_TRIES:
            return False
        self.places.append(place)
        return True


def place_of_preparation(error: Any) -> tuple:
    """The lines of the program down to a break at code that prepares; empty for other breaks."""
    stack = getattr(error, "real_stack", None)
    if kind_of_break(error) not in PREPARING or not stack or is_pythons_own(stack[-1].filename):
        return ()
    return tuple((frame.filename, frame.lineno) for frame in stack)


def place_of_question(error: Any) -> tuple:
    """Where a function has raised that Dynamo calls for real; empty for other errors.

    `importlib.metadata.version` is one: what asks for a package keeps the answer as a rule, and does not ask again.
    """
    step = error.__traceback__ if isinstance(error, torch_names.InternalTorchDynamoError) else None
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    name = "" if step is None else step.tb_frame.f_code.co_filename
    return () if not name or name.startswith((folders.TORCH, folders.RUNTIME)) else (name, step.tb_lineno)
