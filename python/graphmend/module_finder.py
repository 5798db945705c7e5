"""A finder that waits for one module, and calls back after the module's execution.

    ModuleFinder("torch", executed).start()     # in front of `sys.meta_path`
    import torch                                # the spec of the further finders, with a loader that calls `executed`

The finder removes itself after the module's execution.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from typing import Any, Callable


class ModuleFinder:
    """Finds a module through the further finders, and learns of the execution of the module, if there is any."""

    def __init__(self, name: str, action: Callable[[], None]) -> None:
        self.name = name
        self.action = action

    def start(self) -> None:
        """Wait from now on."""
        sys.meta_path.insert(0, self)

    def stop(self) -> None:
        """Wait no longer."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != self.name:
            return None
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = find(name, path, target) if find is not None else None
            if spec is not None:
                if spec.loader is not None:
                    self.call_back(spec.loader)
                return spec
        return None

    def call_back(self, loader: Any) -> None:
        """Have the loader finish the module with the action."""
        execute = loader.exec_module

        def exec_module(module: types.ModuleType) -> None:
            del loader.exec_module
            execute(module)
            if self in sys.meta_path:
                self.stop()
                self.action()

        loader.exec_module = exec_module
