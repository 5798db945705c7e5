"""Runtime of mended source: the calls it makes, and the wrapper around `torch.compile` that puts them in force.

`docs/runtime-dialect.md` is the contract with the compiler core.
"""

from __future__ import annotations

from typing import Any

from .dialect import allclose, and_, branch, check, defer, equal, item, member, not_, on, or_, truth
from .install import install_compile, uninstall_compile
from .state import registry

__all__ = [
    "add_sites",
    "allclose",
    "and_",
    "branch",
    "check",
    "defer",
    "equal",
    "install_compile",
    "item",
    "member",
    "not_",
    "on",
    "or_",
    "report",
    "truth",
    "uninstall_compile",
]


def add_sites(count: int) -> None:
    """Tell the runtime that a module with `count` mended sites has been loaded; without any, nothing is tried."""
    registry.add_sites(count)


def report() -> dict[str, Any]:
    """Sites and compiled callables of this process, for the summary at exit."""
    return registry.report()
