"""Tuples of numbers that calls replace: their numbers stay open, as those of attributes do.

    low, high = self.range
    self.range = (min(low, x.min().item()), max(high, x.max().item()))   # other numbers in each call

Dynamo takes a tuple of a module for a constant, as it may hold the strides of a convolution, and compiles anew for
other numbers. Here Dynamo looks at each number by itself: one that has changed since the last trace stays symbolic.
Tuples in lists stay constants: lists of tuples are sorted, and kept as heaps.
"""

from __future__ import annotations

from typing import Any

from ..base import hooks, trace_state
from ..base.dynamo_values import guard_source
from .dynamic_counters import counts_in

FEATURE = hooks.Feature(__name__, hooks.GAIN, "numbers in tuples stay open")

CONSTANTS = (type(None), bool, int, float, str)


@FEATURE.hook("variable.build")
def look_at_numbers(build: Any, trace: trace_state.Trace, self: Any, value: Any) -> Any:
    """Build a tuple of a module from variables of its items, if a call may have replaced the tuple."""
    if type(value) is not tuple or not trace.whole:
        return hooks.DECLINED
    from ..base.torch_names import GetItemSource, GuardBuilder, TupleVariable, VariableTracker

    if isinstance(self.source, GetItemSource) or not is_replaceable(trace, self.source, value):
        return hooks.DECLINED
    self.install_guards(GuardBuilder.SEQUENCE_LENGTH)
    source = self.get_source()
    items = [VariableTracker.build(self.tx, item, GetItemSource(source, place)) for place, item in enumerate(value)]
    return TupleVariable(items, source=self.source)


def is_replaceable(trace: trace_state.Trace, source: Any, value: tuple[Any, ...]) -> bool:
    """Whether a tuple has numbers that calls may replace: floats, or integers that earlier graphs have written to."""
    kind = guard_source(source)
    if kind is None or not kind.is_unspecialized_nn_module() or any(type(item) not in CONSTANTS for item in value):
        return False
    return any(type(item) is float for item in value) or counts_in(trace, source)
