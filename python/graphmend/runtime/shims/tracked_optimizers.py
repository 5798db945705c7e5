"""Optimizers as objects with an identity: attributes that a call sets, seen by each reference and kept after the call.

    reference().steps_taken = True      # a scheduler keeps a weak reference to its optimizer
    if self.optimizer.steps_taken:      # Dynamo reads the value from before the call
    self.optimizer.rounds = 3           # and forgets this one after the call

Dynamo tracks objects of the program by their identity, but makes another variable of an optimizer at each place. Here
the first variable counts for all places.
"""

from __future__ import annotations

from typing import Any

import torch

from ..base import hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GAIN, "attributes of optimizers that a call sets", partial=True)


@FEATURE.hook("variable.build")
def track_optimizer(build: Any, trace: trace_state.Trace, self: Any, value: Any) -> Any:
    """Track an optimizer with its first variable."""
    from ..base.torch_names import OptimizerVariable

    variable = build(self, value)
    if isinstance(value, torch.optim.Optimizer) and isinstance(variable, OptimizerVariable):
        effects = self.tx.output.side_effects
        if value not in effects:
            effects.track_object_existing(value, variable)
    return variable
