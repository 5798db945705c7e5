"""Function modes: objects whose `__torch_function__` sees every function of torch called in a `with` block.

    with Recorder():        # a class of the program, derived from torch.overrides.TorchFunctionMode
        model(x)            # compiled in parts: a mended graph calls functions that the program does not call

Modes of torch itself, such as the default device, only complete the arguments of functions.
"""

from __future__ import annotations

from . import torch_names
from .dynamo_values import package


def belong_to_program() -> bool:
    """Whether a function mode is in force that is not PyTorch's own."""
    return any(package(type(mode)) != "torch" for mode in torch_names._get_current_function_mode_stack())
