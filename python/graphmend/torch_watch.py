"""Wraps torch.compile at the end of the import of torch, and not earlier.

    graphmend.install()     # without torch: a finder waits for the name `torch` (module_finder.py)
    import torch            # at the end of the import, torch.compile is wrapped

A program that never imports torch pays only for the finder.
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
        self.executed = False  # whether torch was executed under the finder
        self.active = False  # whether between start() and stop()
        self.loading = False
        self.wrapped = False
        self.actions: list[Callable[[], None]] = []  # to run after the import of torch


state = State()


def is_complete() -> bool:
    """Whether torch has been imported, and not only begun to be."""
    torch = sys.modules.get("torch")
    return torch is not None and (
        state.executed or not getattr(getattr(torch, "__spec__", None), "_initializing", False)
    )


def load_runtime() -> None:
    """Load the runtime and wrap torch.compile, once torch is complete. A second call does nothing."""
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
    """Wrap torch.compile, and run the actions that wait for torch."""
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
    """Run an action now if torch is imported, otherwise after the import; the runtime loads first."""
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
    """Wrap torch.compile now if torch is imported, otherwise after the import."""
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
