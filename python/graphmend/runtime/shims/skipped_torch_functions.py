"""Functions of torch in Python that Dynamo skips by name, and that it can trace.

    self.schedule.step()                                            # Dynamo skips the file of the schedulers
    torch.distributions.Normal(mean, scale, validate_args=True)     # and a question that a distribution asks
    torch.jit.isinstance(x, torch.Tensor)                           # and the file of TorchScript

A scheduler wraps the `step` of its optimizer in a function of the skipped file, so Dynamo skips the optimizer, too. All
of these functions are plain Python: arithmetic, and attributes of objects.
"""

from __future__ import annotations

from typing import Any, Iterator

import torch
from torch import _jit_internal

from ..base import hooks, torch_names, trace_state

FEATURE = hooks.Feature(__name__, hooks.GAIN, "schedulers, checks of distributions and of types, which Dynamo skips")

FUNCTIONS = (
    torch.distributions.constraints.is_dependent,
    torch.jit.isinstance,
    _jit_internal._isinstance,
    _jit_internal.check_args_exist,
)


@FEATURE.scope
def trace_functions(trace: trace_state.Trace) -> Iterator[None]:
    """Take the functions out of Dynamo's tables of skipped functions."""
    files: set[str] = torch_names.FORCE_SKIP_FILES if torch_names.has("FORCE_SKIP_FILES") else set()
    rules: dict[Any, Any] = torch_names.get_torch_obj_rule_map()
    skipped_files = files & {file_of_schedulers()}
    rules_before = {function: rules.pop(function) for function in FUNCTIONS if function in rules}
    files -= skipped_files
    rules.update(dict.fromkeys(FUNCTIONS, torch_names.UserFunctionVariable))
    try:
        yield
    finally:
        files |= skipped_files
        for function in FUNCTIONS:
            rules.pop(function, None)
        rules.update(rules_before)


def file_of_schedulers() -> str:
    """The file of the learning rate schedulers, as Dynamo spells it."""
    return str(torch.optim.lr_scheduler.__file__).replace("\\", "/")
