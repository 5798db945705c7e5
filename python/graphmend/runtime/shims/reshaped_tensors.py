"""Sizes of a tensor whose shape an operator has changed in place.

    y = x.clone()[None]
    y.squeeze_(0)
    return y / y.shape[0]      # Dynamo still answers 1 and not the size behind `squeeze_`

Dynamo keeps size, strides and rank of a tensor in its variable, and its operators in place do not renew them. Behind an
operator with torch's tag `inplace_view`, all variables of the trace that hold a tensor learn its shape anew.
"""

from __future__ import annotations

from typing import Any

from ..analysis.aten_facts import changes_shape
from ..base import call_stack, hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GUARD, "sizes of tensors that change their shape in place", partial=True)


@FEATURE.hook("tensor.method")
def renew_behind(method: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Renew what Dynamo knows of tensors behind a method that changes a shape in place."""
    if not changes_shape(name):
        return hooks.DECLINED
    result = method(self, tx, name, args, kwargs)
    renew_tensors(tx, result)
    return result


def renew_tensors(tx: Any, *further: Any) -> None:
    """Renew what Dynamo's variables of tensors know, wherever the trace can reach one."""
    from ..base.torch_names import TensorVariable, VariableTracker

    def renew(variable: Any) -> None:
        if not isinstance(variable, TensorVariable):
            return
        if hasattr(variable, "synchronize_attributes"):
            variable.synchronize_attributes(tx)
            return
        known = variable.specialize(variable.as_proxy().node.meta["example_value"])  # torch before 2.10
        for attribute, value in known.items():
            setattr(variable, attribute, value)

    effects = tx.output.side_effects
    held = [*further, list(effects.id_to_variable.values()), list(effects.store_attr_mutations.values())]
    held += [[frame.symbolic_locals, frame.stack] for frame in call_stack.translators(tx)]
    VariableTracker.visit(renew, held)
