"""Puts the wrapper around torch.compile in place at the moment when torch has been imported, and not earlier.

Until then a finder (module_finder.py) waits for the name `torch`.
"""

from __future__ import annotations

import importlib
import sys
from typing import Callable

from graphmend.module_finder import ModuleFinder
from graphmend.runtime.base import timings


class State:
    def __init__(self) -> None:
        self.finder: ModuleFinder | None = None
        self.executed = False  # torch, under our eyes
        self.active = False  # between start() and stop()
        self.loading = False
        self.wrapped = False
        self.actions: list[Callable[[], None]] = []  # to be done when torch has been imported


state = State()


def is_complete() -> bool:
    """Whether torch has been imported, and not only begun to be."""
    torch = sys.modules.get("torch")
    return torch is not None and (
        state.executed or not getattr(getattr(torch, "__spec__", None), "_initializing", False)
    )


def load_runtime() -> None:
    """Load the runtime and wrap torch.compile, once torch is complete. Does nothing the second time."""
    if state.wrapped or state.loading or not state.active or not is_complete():
        return
    state.loading = True
    try:
        with timings.phase(timings.RUNTIME):
            runtime = importlib.import_module("graphmend.runtime")
            runtime.load()
            importlib.import_module("graphmend.function_mends").note_earlier()
            runtime.install_compile()
        state.wrapped = True
    finally:
        state.loading = False


def _load_runtime_or_warn() -> None:
    try:
        load_runtime()
    except Exception as error:
        from graphmend import hook

        hook.warn("torch.compile is not wrapped", error)


def _executed() -> None:
    """Wrap torch.compile, and do what others want to have done now that torch is there."""
    state.finder = None
    state.executed = True
    _load_runtime_or_warn()
    while state.actions:
        state.actions.pop(0)()


def _stop_finder() -> None:
    if state.finder is not None:
        state.finder.stop()
        state.finder = None


def after_import(action: Callable[[], None]) -> None:
    """Do something now if torch is there, otherwise when it comes; behind the loading of the runtime."""
    if is_complete():
        action()
        return
    state.actions.append(action)
    _start_finder()


def _start_finder() -> None:
    if state.finder is None:
        state.finder = ModuleFinder("torch", _executed)
        state.finder.start()


def start() -> None:
    """Wrap torch.compile now if torch is there, otherwise when it comes."""
    state.active = True
    if is_complete():
        _load_runtime_or_warn()
    else:
        _start_finder()


def stop() -> None:
    """Take the wrapper away."""
    state.active = False
    _stop_finder()
    if state.wrapped:
        importlib.import_module("graphmend.runtime").uninstall_compile()
        state.wrapped = False
