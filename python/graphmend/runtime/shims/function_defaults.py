"""Lists as default values of a function's parameters (torch before 2.12).

    def record(x, seen=[]):
        seen.append(x.shape)      # Dynamo appends to a list of its own
        return x * len(seen)      # 1 in each call

Dynamo takes a default value without a guard if it is a constant, and counts a list of constants as one. Such a list is
then new in each call, and what the call appends is lost. An option of Dynamo turns the guard on.
"""

from __future__ import annotations

from typing import Iterator

from ..base import hooks, torch_names
from ..base.trace_state import Trace

FEATURE = hooks.Feature(__name__, hooks.GAIN, "lists as default values")

OPTION = "skip_guards_on_constant_func_defaults"


@FEATURE.scope
def guard_defaults(trace: Trace) -> Iterator[None]:
    """Guard default values while a call is traced."""
    if not getattr(torch_names.dynamo_config, OPTION, False):
        yield
        return
    with torch_names.dynamo_config.patch({OPTION: False}):
        yield
