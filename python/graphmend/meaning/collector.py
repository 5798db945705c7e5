"""Python's collector of cycles, paused while a large value is made: the collector would examine each new list many
times.
"""

from __future__ import annotations

import gc
import threading

LARGE = 1 << 16  # characters of a text; below, the collector has no work worth mentioning


class _Pause:
    """No collection inside of `with`, in any thread; several threads may be inside at once. Objects made inside are no
    garbage, and the collector sees all objects afterwards."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._was_on = False

    def __enter__(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._was_on = gc.isenabled()
                gc.disable()
            self._inside += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0 and self._was_on:
                gc.enable()


collector_pause = _Pause()
