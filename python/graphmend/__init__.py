"""graphmend: finds, explains and removes what makes torch.compile break its graph.

`install()` does in this process what `graphmend run` does for a script: modules that are imported afterwards are mended
in memory, and torch.compile executes the mends. Nothing on disk changes. `GRAPHMEND=0` in the environment turns it off.
"""

from __future__ import annotations

__version__ = "0.1.0"
__all__ = ["__version__", "install", "uninstall"]


def install() -> None:
    """Mend every module that is imported from now on; safe to call twice."""
    from graphmend import hook

    hook.install()


def uninstall() -> None:
    """Import modules as they are again; modules that are already mended stay so, their mends are off."""
    from graphmend import hook

    hook.uninstall()
