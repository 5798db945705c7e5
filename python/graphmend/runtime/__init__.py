"""Runtime of mended source: the calls it makes, and the wrapper around `torch.compile` that puts them in force.

`docs/runtime-dialect.md` is the contract with the compiler core. Importing this package does not import torch: until
`load()` has been called, every mend is off. A program that never imports torch never pays for it, and a module that
torch itself imports can be mended before torch is complete.
"""

from __future__ import annotations

import importlib
from typing import Any

from .base.dialect_class import bind
from .base.trace_state import registry

_CALLS = (
    "allclose",
    "and_",
    "branch",
    "check",
    "equal",
    "item",
    "member",
    "not_",
    "on",
    "or_",
    "taken",
    "truth",
)
_HOMES = {
    "capture.dialect": _CALLS,
    "effects.deferral": ("defer", "record", "stacklevel"),
    "effects.purity_watch": ("noticed", "unnoticed"),
    "external.external_calls": ("outside",),
    "driver.install": ("install_compile", "uninstall_compile"),
}


def on(site: str) -> bool:
    """Whether the mended form of a site is in force: never before `load()`, which puts another function here."""
    return False


def taken(site: str, value: Any) -> Any:
    """The value of a test: what `load()` puts here differs only where something is traced."""
    return value


def outside(site: str, function: Any, part: str = "") -> Any:
    """A function that takes a value from outside of the program; another only where something is traced."""
    return function


bind({"on": on, "taken": taken, "outside": outside})


def load() -> None:
    """Make all calls of the dialect available; imports torch."""
    found = {}
    for home, names in _HOMES.items():
        module = importlib.import_module(f"{__name__}.{home}")
        found.update({name: getattr(module, name) for name in names})
    globals().update(found)
    bind(found)


def __getattr__(name: str) -> Any:
    if any(name in names for names in _HOMES.values()):
        load()
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def add_sites(count: int) -> None:
    """Tell the runtime that a module with `count` mended sites has been loaded; without any, nothing is tried."""
    registry.add_sites(count)


def report() -> dict[str, Any]:
    """Sites and compiled callables of this process, for the summary at exit."""
    return registry.report()
