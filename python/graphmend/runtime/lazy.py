"""Calls that break because they prepare what later calls find ready.

At its first call a program may take a lock to install hooks or to compute an attribute, count the hooks in their
class, or make layers. Dynamo can put none of that into a graph, and no later call does it again. Such a call runs in
eager Python, which is all that it means, and the next one is traced anew. Whether that helps only the next trace
tells; a callable that breaks twice at one place is compiled in parts from then on.
"""

from __future__ import annotations

import functools
import os
from typing import Any

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

LIBRARY = os.path.join(os.path.dirname(os.__file__), "")
PACKAGE_FOLDERS = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")


class Preparation:
    """The traces of one callable that failed before any succeeded."""

    def __init__(self) -> None:
        self.places: list[tuple] = []
        self.filled = False  # a call has been left to eager Python because it fills in an attribute (fills.py)

    def may_be_over(self, error: Any) -> bool:
        """Whether the failure may be gone once the call has run in eager Python; to be asked once a failure."""
        stack = getattr(error, "real_stack", None)
        if getattr(error, "gb_type", None) not in PREPARING or not stack or len(self.places) == MAX_TRIES:
            return False
        place = tuple((frame.filename, frame.lineno) for frame in stack)
        if place in self.places or is_pythons_own(stack[-1].filename):
            return False
        self.places.append(place)
        return True


def is_pythons_own(filename: str) -> bool:
    """Whether a file is a part of Python that prepares nothing of the program's: its locks are taken at every call.

    Not so in `functools`, where attributes of the program are computed once, under a lock until Python 3.12.
    """
    installed = any(folder in filename for folder in PACKAGE_FOLDERS)
    return filename.startswith(LIBRARY) and not installed and filename != functools.__file__
