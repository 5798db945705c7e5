"""Work with operators in child processes: with arguments by chance, some operators of torch end the process."""

from __future__ import annotations

import faulthandler
import os
import pickle
import signal
import warnings
from collections.abc import Sequence
from typing import Any, Callable

SECONDS, BATCH = 300, 64  # of the processor: a machine with other work takes longer


def in_child(work: Callable[[Any], Any], batch: Any) -> tuple[bool, Any]:
    """Whether a child has come to the end of some work, and what it gave; an exception is raised here."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads: the child uses none
        child = os.fork()
    if child == 0:
        faulthandler.disable()
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            given: Any = work(batch)
        except BaseException as error:
            given = RuntimeError(f"{type(error).__name__}: {error}")
        with open(writing, "wb") as stream:
            stream.write(pickle.dumps(given))
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as stream:
        data = stream.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF:
        raise RuntimeError(f"a child has not ended within {SECONDS} s of the processor")
    if status != 0:
        return False, None
    given = pickle.loads(data)
    if isinstance(given, RuntimeError):
        raise given
    return True, given


def isolated(work: Callable[[Sequence[Any]], list[Any]], items: Sequence[Any]) -> list[Any]:
    """What some work gives for all items, in batches. An item that ends its process on its own gives nothing."""
    found: list[Any] = []
    for start in range(0, len(items), BATCH):
        batch = items[start : start + BATCH]
        ended, given = in_child(work, batch)
        parts = [given] if ended else [in_child(work, [item])[1] or [] for item in batch]
        found += [item for part in parts for item in part]
    return found
