"""Contents of Dynamo's variables hidden from the traced program.

    iterator.items = Forbidden(trace, "a deque changes while its items are gone over")

Each use is left to Python: Dynamo would read contents unlike those of Python. A frame on its own is
not compiled at all: the code behind a graph break would get a copy of the contents.
"""

from __future__ import annotations

from typing import Any, NoReturn

from ..base import trace_state
from ..capture.trace_time import leave_frame_to_python


class Forbidden:
    """Stands for contents; `reason` says why the program is left to Python."""

    def __init__(self, trace: trace_state.Trace, reason: str) -> None:
        self._trace, self._reason = trace, reason

    def __getattr__(self, name: str) -> NoReturn:
        leave_frame_to_python(self._trace, self._reason)

    def __len__(self) -> NoReturn:
        leave_frame_to_python(self._trace, self._reason)

    def __iter__(self) -> NoReturn:
        leave_frame_to_python(self._trace, self._reason)

    def __getitem__(self, place: Any) -> NoReturn:
        leave_frame_to_python(self._trace, self._reason)

    def __contains__(self, item: Any) -> NoReturn:
        leave_frame_to_python(self._trace, self._reason)
