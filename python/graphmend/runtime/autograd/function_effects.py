"""Prints, logs and warnings in the forward pass of an autograd function.

    class Quantize(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            print("largest", x.abs().max().item())
            return x.round()

Dynamo traces the pass into an inner graph, and a deferred effect needs its tensors as outputs of the outermost graph.
The effect is therefore noted in front of the function, with copies of the nodes behind its tensors
(`capture/hoisted_tests.py`). Only numbers may be shown: a tensor in front of the function has another history than in
the pass. Effects of backward passes and of checkpoints happen when gradients are computed, and are not deferred.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import Any, Optional

from ..base import hooks, trace_state
from ..capture import hoisted_tests
from ..capture.trace_time import refuse
from ..effects.deferral import defer

FEATURE = hooks.Feature(__name__, hooks.GAIN, "effects in forward passes of autograd functions")


@FEATURE.hook("function.call")
def defer_in_front(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Note an effect of a forward pass in the outermost graph."""
    if getattr(self, "fn", None) is not defer or not hoisted_tests.is_in_forward(tx.output.current_tracer):
        return hooks.DECLINED
    from ..base.torch_names import TupleVariable

    site, sink, values = args[:3]
    numbers = kwargs.get("numbers", args[3] if len(args) > 3 else None)
    marks = numbers.as_python_constant() if numbers is not None else ""
    shown = [in_front(tx, value.realize(), mark) for value, mark in zip_longest(values.realize().items, marks)]
    if None in shown:
        refuse(site.as_python_constant(), "inside an autograd function, only numbers can be shown")
    with hoisted_tests.at_top(tx.output):
        return call(self, tx, [site, sink, TupleVariable(shown), *args[3:]], kwargs)


def in_front(tx: Any, value: Any, mark: Optional[str]) -> Any:
    """Dynamo's variable in the outermost graph for a value of the pass; None if the value cannot be shown there."""
    if value.is_python_constant():
        return value
    return hoisted_tests.tensor_in_front(tx, value) if value.is_tensor() and mark == "1" else None
