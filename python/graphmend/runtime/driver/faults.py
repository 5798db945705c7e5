"""Faults of the runtime itself during a trace.

    AttributeError in shims/sorting.py    # a mistake, or a torch with other names

A fault is an error of a kind that only a mistake or a changed torch makes, raised in a file of the runtime. The
feature of the file is off from then on, and the frame is traced again without the feature. stderr gets one line, and
the fault is never reported as the reason of a callable.
"""

from __future__ import annotations

import os
import types
from typing import Any, Optional

from ..base import folders, hooks, torch_names, trace_state
from ..base.call_stack import innermost

KINDS = (torch_names.MissingName, AttributeError, NameError)
REASON = "a fault of graphmend itself"
# Files that run operators of the program, whose errors are the program's.
OF_THE_PROGRAM = ("path_speculation.py", "dynamo_values.py")


def place_of(error: BaseException) -> Optional[types.TracebackType]:
    """The innermost frame of the error; None if the error is no fault of the runtime."""
    error = unwrapped(error)
    step = innermost(error)
    if not isinstance(error, (*KINDS, TypeError)) or step is None:
        return None
    if isinstance(error, torch_names.MissingName):
        return step
    name = step.tb_frame.f_code.co_filename
    if isinstance(error, TypeError):  # that of a hook which is called with other arguments
        return step if name == hooks.__file__ else None
    is_ours = name.startswith(folders.RUNTIME) and os.path.basename(name) not in OF_THE_PROGRAM
    return step if is_ours else None


def unwrapped(error: BaseException) -> BaseException:
    """The error inside Dynamo's wrapper, or the error itself."""
    if isinstance(error, torch_names.InternalTorchDynamoError):
        cause: Optional[BaseException] = error.__cause__ or error.__context__
        return cause or error
    return error


def feature_of(error: BaseException) -> Optional[hooks.Feature[Any]]:
    """The feature with the innermost frame of an error's traceback; None without such a feature."""
    frames = []
    step = error.__traceback__
    while step is not None:
        frames.append(step.tb_frame)
        step = step.tb_next
    by_module = {feature.module: feature for feature in hooks.features.values()}
    for frame in reversed(frames):
        found = by_module.get(frame.f_globals.get("__name__", ""))
        if found is not None and found.name not in hooks.features_off:
            return found
    return None


def note(error: Any) -> bool:
    """Note an error if the error is a fault; returns whether a feature was switched off for the next attempt."""
    place = place_of(error) if isinstance(error, BaseException) else None
    if place is None:
        return False
    code = place.tb_frame.f_code
    where = f"{os.path.relpath(code.co_filename, folders.RUNTIME)}:{place.tb_lineno}"
    error = unwrapped(error)
    text = f"{where} ({type(error).__name__}: {str(error).partition(chr(10))[0]})"
    feature = feature_of(error)
    if feature is not None:
        hooks.switch_off(feature.name, f"a fault of graphmend in {text}")
    tell(text, feature)
    return feature is not None


def tell(text: str, feature: Optional[hooks.Feature[Any]]) -> None:
    """Write one line about a fault to stderr, once for each fault."""
    if text in trace_state.registry.faults:
        return
    trace_state.registry.faults[text] = None
    from graphmend import terminal

    part = "" if feature is None else f"; `{feature.name}` is off from here on"
    with_torch = f"graphmend: a fault of graphmend with torch {torch_names.version()}: {text}{part}"
    terminal.complain(f"{with_torch} (please report it with `graphmend doctor`)")
