"""Queues with a limit from before the call: a full queue drops an item for each item that comes in.

    self.recent = collections.deque(maxlen=3)      # in `__init__`
    self.recent.append(loss)                       # Dynamo forgets the limit: the fourth item makes four
    return torch.stack(list(self.recent)).mean()   # of four losses

Dynamo's variable gets the limit of the queue, with a guard. After the call Dynamo clears the queue and fills in the
items of the variable; so the order of the writes does not count, and the limit is left out there.
"""

from __future__ import annotations

import collections
from typing import Any

from ..base import hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GAIN, "limits of queues", partial=True)


@FEATURE.hook("variable.build")
def keep_limit(build: Any, trace: trace_state.Trace, self: Any, value: Any) -> Any:
    """Give the variable of a queue the limit of the queue."""
    if type(value) is not collections.deque or value.maxlen is None:
        return hooks.DECLINED
    from ..base.torch_names import AttrSource, ConstantVariable, DequeVariable, GuardBuilder, install_guard

    variable = build(self, value)
    if type(variable) is DequeVariable:
        install_guard(AttrSource(self.source, "maxlen").make_guard(GuardBuilder.EQUALS_MATCH))
        variable.maxlen = ConstantVariable.create(value.maxlen)
    return variable


@FEATURE.hook("effects.codegen")
def write_back(write: Any, trace: trace_state.Trace, self: Any, cg: Any, *args: Any) -> Any:
    """Write the items of queues with a limit back."""
    from ..base.torch_names import ConstantVariable, DequeVariable

    queues = [var for var in self.id_to_variable.values() if type(var) is DequeVariable and var.source is not None]
    limits = [variable.maxlen for variable in queues]
    for variable in queues:
        variable.maxlen = ConstantVariable.create(None)
    try:
        return write(self, cg, *args)
    finally:
        for variable, limit in zip(queues, limits):
            variable.maxlen = limit
