"""Members of integer enumerations as indices.

    class Split(enum.IntEnum): ...

    self.norms[split]               # Dynamo 2.13 looks for `__index__` until the stack ends

A member of an `enum.IntEnum` takes `__index__` from `int`: the index is the value of the member.
"""

from __future__ import annotations

import enum
from typing import Any

from ..base import hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GAIN, "members of enumerations as indices", partial=True)


@FEATURE.hook("object.index", needed=False)
def index(call: Any, trace: trace_state.Trace, self: Any, tx: Any) -> Any:
    """The value of a member whose class takes `__index__` from `int`."""
    from ..base.torch_names import ConstantVariable, GuardBuilder, install_guard

    member = self.value
    if not isinstance(member, enum.Enum) or not isinstance(member, int) or type(member).__index__ is not int.__index__:
        return hooks.DECLINED
    if self.source is not None:
        install_guard(self.source.make_guard(GuardBuilder.ID_MATCH))
    return ConstantVariable.create(int.__index__(member))
