"""Interruptions: exceptions raised by code that runs beside a call, not by the call.

    signal.signal(signal.SIGALRM, raise_timeout)
    signal.alarm(30)
    step(x)                # the handler raises TimeoutError in the middle of a graph

A graph that raises is undone, and the call runs again in Python, which raises what the program raises. An exception of
a signal handler, or of a hook on saved tensors, goes to the caller at once: a second run would not raise it.
"""

from __future__ import annotations

import signal
from typing import Any, Iterator

from . import torch_names
from .callable_code import code_of


def is_interruption(error: BaseException) -> bool:
    """Whether a signal handler or a hook on saved tensors has raised an exception."""
    codes = [code for code in map(code_of, bystanders()) if code is not None]
    trace = error.__traceback__
    while codes and trace is not None:
        if any(trace.tb_frame.f_code is code for code in codes):  # code that Dynamo makes has no hash
            return True
        trace = trace.tb_next
    return False


def bystanders() -> Iterator[Any]:
    """The signal handlers of the program, and the hooks on saved tensors in force."""
    yield from filter(callable, map(signal.getsignal, signal.valid_signals()))
    yield from torch_names._top_saved_tensors_default_hooks(True) or ()
