"""Python's collector of cycles rests while a call is traced.

Tracing makes many objects that stay until it has ended, and every full collection visits all of them and all that the
program has: a tenth of the time of a trace, and nothing is found. What becomes garbage meanwhile is collected later.
"""

from __future__ import annotations

import contextlib
import gc
import threading
from typing import Iterator


class Pause(threading.local):
    """Whether the collector rests because of a trace in this thread."""

    on = False


pause = Pause()


@contextlib.contextmanager
def collected_later() -> Iterator[None]:
    """Have no cycles collected inside the block, unless the program itself sees to that."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    pause.on = True
    try:
        yield
    finally:
        pause.on = False
        gc.enable()


@contextlib.contextmanager
def collected() -> Iterator[None]:
    """Have cycles collected inside the block after all: the user's backend may take long, and much memory."""
    if not pause.on:
        yield
        return
    gc.enable()
    pause.on = False
    try:
        yield
    finally:
        pause.on = True
        gc.disable()
