"""Exponential back-off for calls whose traces make no graph.

A trace that ends in an exception of the program makes no graph, and the call runs in eager Python anyway:

    def check(x):
        raise ValueError(x.shape)   # each call would be traced for nothing

The trace of a path that no graph can follow ends in the same way. After n traces in a row without a graph,
2^(n-1) - 1 calls without a graph are not traced, and at most 63.
"""

from __future__ import annotations

MAX_DOUBLINGS = 6


class BackOff:
    """Counts traces in a row without a graph, and the calls that are not traced."""

    def __init__(self) -> None:
        self.failures = 0
        self.skipped_calls = 0

    def skips(self) -> bool:
        """Count one call; returns whether the call is not traced."""
        self.skipped_calls -= self.skipped_calls > 0
        return self.skipped_calls > 0

    def failed(self) -> None:
        """Count a trace without a graph."""
        self.failures += 1
        self.skipped_calls = 2 ** min(self.failures - 1, MAX_DOUBLINGS)

    def succeeded(self) -> None:
        """Forget the failures, because a trace made a graph."""
        self.failures = 0
