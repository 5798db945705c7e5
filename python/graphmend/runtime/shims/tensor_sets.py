"""Sets of tensors without common members.

    if not known.isdisjoint(set(group["params"])): ...    # as in `Optimizer.add_param_group`

Python finds members by their hash, which is the identity of a tensor. Dynamo compares each pair of members with `==`,
which computes a tensor.
"""

from __future__ import annotations

from typing import Any

from ..base import hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GAIN, "sets of tensors without common members")


@FEATURE.hook("set.method")
def compare_hashes(call: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Trace `isdisjoint` of two sets by the hashes of their members."""
    from ..base.torch_names import ConstantVariable, SetVariable

    other = args[0].realize() if name == "isdisjoint" and len(args) == 1 and not kwargs else None
    if not isinstance(other, SetVariable) or not any(has_tensors(one) for one in (self, other)):
        return hooks.DECLINED
    return ConstantVariable.create(self.items.keys().isdisjoint(other.items.keys()))


def has_tensors(variable: Any) -> bool:
    """Whether tensors are among the members of Dynamo's variable of a set."""
    return any(member.vt.is_tensor() for member in variable.items)
