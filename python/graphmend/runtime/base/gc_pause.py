"""A pause for Python's collector of cycles while a call is traced.

    with collector_paused():          # around a trace
        convert(frame)                # makes many objects, which live until the end of the trace
        with collector_at_work(): compile()   # the user's backend: the collector works

Every full collection during a trace visits all objects of the trace and of the program, and frees none: a tenth of the
time of a trace. Garbage of the meantime is collected afterwards.

The backend begins with as many new objects as the trace has made, far above the threshold of the youngest generation:
its first allocation would start a collection that visits the whole trace. So the threshold is counted from there.
"""

from __future__ import annotations

import contextlib
import gc
import threading
from typing import Iterator


class Pause(threading.local):
    """Whether the collector pauses because of a trace in this thread."""

    on = False


pause = Pause()


@contextlib.contextmanager
def collector_paused() -> Iterator[None]:
    """Collect no cycles inside the block; without effect where the program has switched the collector off."""
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
def collector_at_work() -> Iterator[None]:
    """Collect cycles inside the block after all: the user's backend may take long, and much memory."""
    if not pause.on:
        yield
        return
    before = gc.get_threshold()
    counted_on = (before[0] and gc.get_count()[0] + before[0], *before[1:])
    gc.set_threshold(*counted_on)
    gc.enable()
    pause.on = False
    try:
        yield
    finally:
        pause.on = True
        gc.disable()
        if gc.get_threshold() == counted_on:  # else the backend has chosen others
            gc.set_threshold(*before)
