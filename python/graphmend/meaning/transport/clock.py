"""The clock of a call: names, connections, handshakes, requests, answers, pauses, repetitions and tools run by it."""

from __future__ import annotations

import time
from collections.abc import Awaitable
from typing import TypeVar

from graphmend.meaning.errors import EndpointError

T = TypeVar("T")


class Late(Exception):
    """Raised at the end of a wait."""


async def within(seconds: float, work: Awaitable[T]) -> T:
    """The result of a coroutine; raises Late after these seconds. A task cancelled from outside stays cancelled."""
    import asyncio

    task = asyncio.current_task()
    assert task is not None
    fired = False

    def fire() -> None:
        nonlocal fired
        fired = True
        task.cancel()

    handle = asyncio.get_running_loop().call_later(max(0.0, seconds), fire)
    try:
        return await work
    except asyncio.CancelledError:
        uncancel = getattr(task, "uncancel", None)  # since Python 3.11
        if fired and (uncancel is None or uncancel() == 0):
            raise Late from None
        raise
    finally:
        handle.cancel()


class Clock:
    """How long a call may take as a whole, and how long each silence in it may last."""

    __slots__ = ("_seconds", "_silence", "end")

    def __init__(self, seconds: float, silence: float) -> None:
        self._seconds = seconds
        self._silence = silence
        self.end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds until the deadline."""
        return self.end - time.monotonic()

    def wait(self, share: int = 1) -> float:
        """The seconds that a wait may take from now; `share` is the number of such waits in the remaining time."""
        left = (self.end - time.monotonic()) / share
        return left if left < self._silence else self._silence

    def check(self) -> None:
        if self.left() <= 0:
            raise self.late()

    async def within(self, work: Awaitable[T]) -> T:
        """The result of some work; an error where it takes longer than there is time."""
        try:
            return await within(self.left(), work)
        except Late:
            raise self.late() from None

    def late(self) -> EndpointError:
        """The error for a wait that came to its end."""
        if self.left() <= 0.001:
            return EndpointError("deadline", f"the endpoint's answer took longer than {self._seconds:g} seconds")
        words = f"Timeout: nothing from the endpoint for {self._silence:g} seconds"
        return EndpointError("deadline", words, again=True)
