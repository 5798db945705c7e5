"""The host of the program: what was there before graphmend was, such as a notebook's kernel and its streams.

A kernel puts streams of its own in the place of standard output, and hangs functions onto them from cell to cell. They
lead to everything that the kernel holds, the program's variables among it, so no search can tell what they come by.
They carry text out of the program: the host's code does nothing to the program that a terminal would not do.
"""

from __future__ import annotations

import os
import sys
import types
from typing import Any

PACKAGE_FOLDERS = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")

streams: list[Any] = []
packages: set[str] = set()


def note() -> None:
    """Note what is there now as the host: streams, and packages that are imported."""
    if not streams:
        streams.extend(stream for stream in (sys.stdout, sys.stderr) if stream is not None)
        packages.update(name for name, module in list(sys.modules.items()) if is_installed(module))


def is_installed(module: Any) -> bool:
    """Whether a module is a package of its own, or a module outside of one, and no part of the program."""
    name, file = getattr(module, "__name__", ""), getattr(module, "__file__", None) or ""
    return "." not in name and any(folder in file for folder in PACKAGE_FOLDERS)


def is_hosts(module: Any) -> bool:
    """Whether the module of a function or class belongs to the host."""
    return isinstance(module, str) and module.partition(".")[0] in packages


def is_hosts_stream(value: Any) -> bool:
    """Whether a stream is the host's, and all functions that hang onto it are, too."""
    if not any(value is stream for stream in streams):
        return False
    attached = [item for item in vars(value).values() if isinstance(item, (types.FunctionType, types.MethodType))]
    if not is_hosts(type(value).__module__) and not attached:
        return False  # a plain file; searches know those
    bases = (kind for kind in type(value).__mro__ if "write" in vars(kind))
    known = next(bases).__module__
    return (is_hosts(known) or known == "_io") and all(is_hosts(item.__module__) for item in attached)
