"""Frames of Dynamo's callback: the first frame of a compiled call, and frames that run beside the call.

Dynamo asks its callback about every frame that Python starts inside a compiled call, in order of start:

    compiled(x)     # module.py:_wrapped_call_impl, module.py:_call_impl, then Model.forward
    def __del__     # of any object that the garbage collector frees in between

The mends of whole calls are in force in the first frame of the program alone. The stack tells which one that is: only
the wrapper, files of the driver and functions of torch that forward a call stand between.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from ..base import folders, torch_names
from ..base.callable_code import code_of
from ..base.folders import is_pythons_own
from .wrapper import WRAPPER_CODE

FORWARDERS = {
    ("module.py", "_wrapped_call_impl"),
    ("module.py", "_call_impl"),
    ("_contextlib.py", "decorate_context"),
    ("eval_frame.py", "compile_wrapper"),
}
# Files whose functions stand between the wrapper and the first frame. Made like `co_filename`, which is compared.
CALL_FILES = frozenset(
    os.path.join(os.path.dirname(__file__), name)
    for name in ("callback.py", "outcomes.py", "variants.py", "wrapper.py")
)


def forwards(code: Any) -> bool:
    """Whether a function of torch itself only forwards its call."""
    return (
        code.co_filename.startswith(folders.TORCH) and (os.path.basename(code.co_filename), code.co_name) in FORWARDERS
    )


def is_first_frame(caller: Any) -> bool:
    """Whether only forwarding functions stand between the wrapper and the frame that is about to run."""
    compiled = torch_names.output_codes
    while caller is not None:
        code = caller.f_code
        if code is WRAPPER_CODE:
            return True
        if code in compiled:
            return False
        if code.co_filename not in CALL_FILES and not forwards(code):
            return False
        caller = caller.f_back
    return False


def runs_beside(code: Any, entry: Any) -> bool:
    """Whether a frame belongs to no call: Python runs finalizers and callbacks wherever the collector happens to."""
    if code is entry or forwards(code):
        return False
    if watches(code, sys.getprofile()) or watches(code, sys.gettrace()):
        return True
    finalizes = code.co_name == "__del__" or is_pythons_own(code.co_filename)
    return finalizes or torch_names.is_skipped_code(code)


def watches(code: Any, watcher: Any) -> bool:
    """Whether Python calls this code for a profiler or debugger: a function, a method, or an object with a call."""
    return watcher is not None and code_of(watcher) is code
