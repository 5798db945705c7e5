"""Folders whose files a trace or a stack must tell apart: the runtime's, torch's and Dynamo's.

    code.co_filename.startswith(folders.DYNAMO)         # a frame of Dynamo
    code.co_filename.startswith(folders.RUNTIME)        # a frame of graphmend
    code.co_filename.startswith(folders.LIBRARY)        # a frame of Python's library

Every name ends with a separator, because `torch_geometric` begins like `torch`.
"""

from __future__ import annotations

import functools
import os

import torch

from .host import PACKAGE_FOLDERS

PACKAGE = __name__.rpartition(".")[0].rpartition(".")[0]
RUNTIME = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")
TORCH = os.path.join(os.path.dirname(os.path.abspath(torch.__file__)), "")
DYNAMO = os.path.join(TORCH, "_dynamo", "")


LIBRARY = os.path.join(os.path.dirname(os.__file__), "")


def is_pythons_own(filename: str) -> bool:
    """Whether a file belongs to Python's library, and computes no attribute of the program.

    Locks in such files are taken at every call. `functools` computes attributes of the program once, under a lock until
    Python 3.12.
    """
    installed = any(folder in filename for folder in PACKAGE_FOLDERS)
    return filename.startswith(LIBRARY) and not installed and filename != functools.__file__
