"""Runtime of mended source: the functions called by mended source, and the wrapper of `torch.compile` for the mends.

    if _gm.on(SITE):        # False until `load()` has been called
        ...                 # the mended form
    else: ...               # the user's own statements

`docs/runtime-dialect.md` is the contract with the compiler core. The import of this package does not import torch:
before `load()`, every mend is off. A program without torch has no cost. A module imported by torch itself can be mended
before torch is complete.
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
    """Whether the mended form of a site is in force: never before `load()`, because `load()` replaces this function."""
    return False


def taken(site: str, value: Any) -> Any:
    """The value of a test; the replacement by `load()` differs only during a trace."""
    return value


def outside(site: str, function: Any, part: str = "") -> Any:
    """The function for a value from outside of the program; after `load()`, traces get a function of their own."""
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
    """Count the mended sites of a loaded module; in a process without sites, the runtime does nothing."""
    registry.add_sites(count)


def report() -> dict[str, Any]:
    """Sites and compiled callables of this process, for the summary at exit."""
    return registry.report()
