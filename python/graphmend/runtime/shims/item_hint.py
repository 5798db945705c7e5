"""Dynamo's hint to capture numbers from tensors: left out.

    W... Graph break from `Tensor.item()`, consider setting: torch._dynamo.config.capture_scalar_outputs = True

Dynamo shows the hint once in a process, at the first `.item()` that breaks a graph. Whole calls capture such numbers.
Where a call is compiled in parts nevertheless, the option would not help, and graphmend's report names the breaks. The
hint would also come at another call than in the plain program.
"""

from __future__ import annotations

from typing import Any

from ..base import hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GAIN, "no hint to capture numbers", partial=True)


@FEATURE.hook("tensor.item_hint")
def say_nothing(show: Any, trace: trace_state.Trace) -> None:
    """Leave the hint out."""
