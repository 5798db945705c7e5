"""graphmend: finds, explains and removes graph breaks of torch.compile.

`install()` does in this process the work of `graphmend run` for a script. Later imports and compiled functions are
mended in memory, wherever their source is, and torch.compile executes the mends. Nothing on disk changes. `GRAPHMEND=0`
in the environment turns graphmend off.
"""

from __future__ import annotations

from typing import Any

__version__ = "0.1.0"
__all__ = ["__version__", "environment", "install", "summary", "uninstall"]


def install(summary: bool = True) -> None:
    """Mend code that is compiled from now on; safe to call twice.

    With `summary` a short text on standard error lists, at the end of the process, mended and remaining breaks.
    """
    from graphmend import hook

    hook.install(summary)


def uninstall() -> None:
    """Import modules without mends again. Modules that are already mended stay mended, with their mends off."""
    from graphmend import hook

    hook.uninstall()


def summary() -> Any:
    """The mended and the remaining breaks so far: a text for `print`, a table in a notebook."""
    from graphmend import run_summary

    return run_summary.Summary(run_summary.collected())


def environment() -> dict[str, str]:
    """Environment variables that mend a Python started by another program, such as Ray, like this process."""
    from graphmend import children

    return children.environment()


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext graphmend` in a notebook."""
    from graphmend import notebook

    notebook.load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """`%unload_ext graphmend` in a notebook."""
    uninstall()
