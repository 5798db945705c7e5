"""graphmend: finds, explains and removes what makes torch.compile break its graph.

`install()` does in this process what `graphmend run` does for a script: what is compiled afterwards is mended in
memory, wherever it was defined, and torch.compile executes the mends. Nothing on disk changes. `GRAPHMEND=0` in the
environment turns it off.
"""

from __future__ import annotations

from typing import Any

__version__ = "0.1.0"
__all__ = ["__version__", "environment", "install", "summary", "uninstall"]


def install(summary: bool = True) -> None:
    """Mend what is compiled from now on; safe to call twice.

    With `summary` a short text on standard error says at the end of the process what was mended and what was not.
    """
    from graphmend import hook

    hook.install(summary)


def uninstall() -> None:
    """Import modules as they are again; modules that are already mended stay so, their mends are off."""
    from graphmend import hook

    hook.uninstall()


def summary() -> Any:
    """What is mended and what is not, so far: a text when it is printed, a table in a notebook."""
    from graphmend import run_summary

    return run_summary.Summary(run_summary.collected())


def environment() -> dict[str, str]:
    """Variables with which a Python that is started by another program, such as Ray, is mended as this process is."""
    from graphmend import children

    return children.environment()


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext graphmend` in a notebook."""
    from graphmend import notebook

    notebook.load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """`%unload_ext graphmend` in a notebook."""
    uninstall()
