"""Exponential back-off for programs that raise in every call.

A trace that ends in an exception of the program makes no graph, and the call runs in eager Python anyway:

    def check(x):
        raise ValueError(x.shape)   # each call would be traced for nothing

After n such traces in a row, 2^(n-1) - 1 calls are not traced, and at most 63.
"""

from __future__ import annotations

MAX_DOUBLINGS = 6


class BackOff:
    """Counts traces in a row that ended in an exception of the program, and the calls that are not traced."""

    def __init__(self) -> None:
        self.exceptions = 0
        self.skipped_calls = 0

    def skips(self) -> bool:
        """Count one call; returns whether the call is not traced."""
        self.skipped_calls -= self.skipped_calls > 0
        return self.skipped_calls > 0

    def raised(self) -> None:
        """Count a trace that ended in an exception of the program."""
        self.exceptions += 1
        self.skipped_calls = 2 ** min(self.exceptions - 1, MAX_DOUBLINGS)

    def succeeded(self) -> None:
        """Forget the exceptions, because a trace made a graph."""
        self.exceptions = 0
