"""Puts the wrapper around torch.compile in place at the moment when torch has been imported, and not earlier.

Until then a finder at the front of `sys.meta_path` waits for the name `torch`. It answers with what the other finders
say, and has the loader of that one module call back when the module has been executed.
"""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from typing import Any, Callable


class TorchFinder:
    """Finds torch as others do, and is told when it has been executed; a program may also find it and not import it."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != "torch":
            return None
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = find(name, path, target) if find is not None else None
            if spec is not None:
                if spec.loader is not None:
                    _call_back(spec.loader)
                return spec
        return None


def _call_back(loader: Any) -> None:
    """Have the loader finish the module with `load_runtime`."""
    execute = loader.exec_module

    def exec_module(module: types.ModuleType) -> None:
        del loader.exec_module
        execute(module)
        _stop_finder()
        state.executed = True
        _load_runtime_or_warn()
        while state.actions:
            state.actions.pop(0)()

    loader.exec_module = exec_module


class State:
    def __init__(self) -> None:
        self.finder: TorchFinder | None = None
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
        runtime = importlib.import_module("graphmend.runtime")
        runtime.load()
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


def _stop_finder() -> None:
    if state.finder is not None:
        if state.finder in sys.meta_path:
            sys.meta_path.remove(state.finder)
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
        state.finder = TorchFinder()
        sys.meta_path.insert(0, state.finder)


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
