"""Folders whose files a trace or a stack must be able to tell apart: the runtime's, torch's and Dynamo's.

Every name ends with a separator, so that `filename.startswith(folder)` asks for a file inside the folder.
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
    """Whether a file is a part of Python that prepares nothing of the program's: its locks are taken at every call.

    Not so in `functools`, where attributes of the program are computed once, under a lock until Python 3.12.
    """
    installed = any(folder in filename for folder in PACKAGE_FOLDERS)
    return filename.startswith(LIBRARY) and not installed and filename != functools.__file__
