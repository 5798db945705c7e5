"""The host of the program: everything loaded before graphmend, such as the kernel of a notebook and its streams.

    sys.stdout                          # in a notebook: an object of ipykernel
    sys.stdout.pub_thread...            # leads to the kernel, and to every variable of the program
    print("loss", loss)                 # deferrable all the same, because the host only carries text out

A search for the objects behind a stream (`receiver_reach.py`) would fail at the host's streams. They carry text out of
the program, and do no more to the program than a terminal.
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
    """Note the present streams and imported packages as the host's."""
    if not streams:
        streams.extend(stream for stream in (sys.stdout, sys.stderr) if stream is not None)
        packages.update(name for name, module in list(sys.modules.items()) if is_installed(module))


def is_installed(module: Any) -> bool:
    """Whether a module is a top-level package or module from site-packages, and no part of the program."""
    name, file = getattr(module, "__name__", ""), getattr(module, "__file__", None) or ""
    return "." not in name and any(folder in file for folder in PACKAGE_FOLDERS)


def is_hosts(module: Any) -> bool:
    """Whether the module of a function or class belongs to the host."""
    return isinstance(module, str) and module.partition(".")[0] in packages


def is_hosts_stream(value: Any) -> bool:
    """Whether a stream is the host's, and all functions attached to the stream are the host's, too."""
    if not any(value is stream for stream in streams):
        return False
    attached = [item for item in vars(value).values() if isinstance(item, (types.FunctionType, types.MethodType))]
    if not is_hosts(type(value).__module__) and not attached:
        return False  # a plain file, which a search can look through
    bases = (kind for kind in type(value).__mro__ if "write" in vars(kind))
    writer_module = next(bases).__module__
    return (is_hosts(writer_module) or writer_module == "_io") and all(is_hosts(item.__module__) for item in attached)
