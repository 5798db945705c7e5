"""Buffers, parameters and submodules that a call sets or deletes.

    self.count = x.sum()                       # a buffer
    for name, module in self.named_modules():  # a graph break in Dynamo
        ...
    del self.warmup                            # no guard in Dynamo: the graph runs again, with nothing to delete

Dynamo ends the graph at `named_modules()`, `parameters()` and their like behind an assignment, because the tables of
the module might lack what was set. But Dynamo traces `nn.Module.__setattr__` itself, which writes to the tables, and
`named_modules()` reads them: only an assignment beside the tables has to end the graph. A deleted member gets a guard
of its presence, and the deletion of a member that is not there is left to Python.
"""

from __future__ import annotations

from typing import Any

from ..base import hooks, trace_state
from ..base.dynamo_values import can_be_guarded
from ..capture.trace_time import leave_frame_to_python

FEATURE = hooks.Feature(__name__, hooks.GAIN, "members of modules that a call sets or deletes", partial=True)
ABSENT = "the call deletes what the module does not have"


@FEATURE.hook("nn_module.method", needed=False)
def note_write(method: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Keep Dynamo's note of a write only where the write went beside the tables, and guard a deleted member."""
    from ..base.torch_names import AttrSource, DeletedVariable, GuardBuilder, install_guard

    if name not in ("__setattr__", "__delattr__") or not args or not args[0].is_python_constant():
        return hooks.DECLINED
    member = args[0].as_python_constant()
    effects = tx.output.side_effects
    is_written = self.is_state_mutated or effects.has_pending_mutation(self)
    if (name == "__delattr__" or isinstance(args[1], DeletedVariable)) and can_be_guarded(self.source):
        if hasattr(self.value, member):
            install_guard(AttrSource(self.source, member).make_guard(GuardBuilder.TYPE_MATCH))
        elif not is_written:
            leave_frame_to_python(trace, ABSENT)
    before = self.is_state_mutated
    result = method(self, tx, name, args, kwargs)
    if self.is_state_mutated and not before:
        self.is_state_mutated = member in effects.store_attr_mutations.get(self, {})
    return result
