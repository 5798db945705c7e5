"""Optimizers as objects with an identity: attributes that a call sets, seen by each reference and kept after the call.

    reference().steps_taken = True      # a scheduler keeps a weak reference to its optimizer
    if self.optimizer.steps_taken:      # Dynamo reads the value from before the call
    self.optimizer.rounds = 3           # and forgets this one after the call

Dynamo tracks objects of the program by their identity, but makes another variable of an optimizer at each place. Here
the first variable counts for all places. Dynamo also sets `capturable` in its copy of each group of parameters: a call
that changes the group, as schedulers do, would write it into the optimizer.
"""

from __future__ import annotations

from typing import Any

import torch

from ..base import hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GAIN, "attributes of optimizers that a call sets", partial=True)


@FEATURE.hook("variable.build")
def track_optimizer(build: Any, trace: trace_state.Trace, self: Any, value: Any) -> Any:
    """Track an optimizer with its first variable."""
    if not isinstance(value, torch.optim.Optimizer):
        return hooks.DECLINED
    from ..base.torch_names import OptimizerVariable

    variable = build(self, value)
    if isinstance(variable, OptimizerVariable):
        effects = self.tx.output.side_effects
        if value not in effects:
            effects.track_object_existing(value, variable)
    return variable


@FEATURE.hook("effects.codegen")
def write_back(write: Any, trace: trace_state.Trace, self: Any, cg: Any, *args: Any) -> Any:
    """Leave `capturable` in groups of parameters as it was."""
    from ..base.torch_names import ConstantVariable, OptimizerVariable

    for variable in list(self.id_to_variable.values()):
        optimizer = variable.value if isinstance(variable, OptimizerVariable) else None
        for group in getattr(optimizer, "param_groups", ()):  # none in one that the call makes
            items = getattr(self.id_to_variable.get(id(group)), "items", {})
            for key in [key for key in items if is_capturable(key)]:
                if "capturable" in group:
                    items[key] = ConstantVariable.create(group["capturable"])
                else:
                    del items[key]
    return hooks.DECLINED


def is_capturable(key: Any) -> bool:
    """Whether a key of Dynamo's dictionary is the name of the setting."""
    return bool(key.vt.is_python_constant() and key.vt.as_python_constant() == "capturable")
