"""Seconds that the traces of a callable have taken: the measure of what else is worth its time.

with taking(record):       # one trace, of the first path or of a further one
    ...
COSTS.of(record).seconds   # a call that runs twice is cheap beside these, or dear
"""

from __future__ import annotations

import contextlib
import dataclasses
import time
from typing import Any, Iterator

from ..base.owned_state import OwnedState


@dataclasses.dataclass
class Cost:
    """What the traces of one callable have cost."""

    seconds: float = 0.0  # on the wall, as for the runs of graphs beside which they are held

    def report(self) -> dict[str, Any]:
        """Nothing: reports of two processes of one program are equal."""
        return {}

    def add(self, seconds: float) -> None:
        """Add a trace."""
        self.seconds += seconds


COSTS = OwnedState(__name__, Cost)


@contextlib.contextmanager
def taking(record: Any) -> Iterator[None]:
    """Measure one trace of the callable of a record."""
    started = time.perf_counter()
    try:
        yield
    finally:
        COSTS.of(record).add(time.perf_counter() - started)
