"""Functions in a graph, and the parties that vouch for a second call of a function.

    torch.compiler.allow_in_graph(scale)      # Dynamo writes the call of `scale` into the graph, and reads no code

A failed guard runs the call again, with every function of the graph. PyTorch asks of an allowed function that the
function only works on the arguments: real compilers trace such a function once, and never call the function again. A
package that allows its own functions vouches for this rule (einx does, for each operation). A function of the program
itself has nobody to vouch for it. Neither has a package's wrapper around a function of the program.
"""

from __future__ import annotations

import functools
import sys
from types import FunctionType
from typing import Any, Optional

from ..base import host
from ..base.closures import contents_of_cell

KNOWN_MODULES = frozenset(["torch", "_operator", "builtins", "functools", "math", "operator", "graphmend", None])


def home_of(function: Any) -> Optional[str]:
    """The top-level module that holds the code of a function; `functools.wraps` changes only `__module__`."""
    home = function.__globals__.get("__name__") if type(function) is FunctionType else None
    home = home if home is not None else getattr(function, "__module__", None)
    return home.partition(".")[0] if isinstance(home, str) else None


def functions_within(function: Any) -> list[Any]:
    """A function, and the functions that it wraps or holds in its closure, to any depth."""
    found: list[Any] = []
    waiting = [function]
    while waiting:
        current = waiting.pop()
        if any(current is known for known in found):
            continue
        found.append(current)
        for cell in getattr(current, "__closure__", None) or ():
            waiting += filter(callable, contents_of_cell(cell))
        if hasattr(current, "__wrapped__"):
            waiting.append(current.__wrapped__)
        if isinstance(current, functools.partial):
            waiting += filter(callable, [current.func, *current.args, *current.keywords.values()])
    return found


def is_vouched_for(function: Any) -> bool:
    """Whether torch, Python or an installed package holds the code of a function and of all functions within."""
    homes = {home_of(item) for item in functions_within(function)}
    return all(home in KNOWN_MODULES or host.is_installed(sys.modules.get(home or "")) for home in homes)
