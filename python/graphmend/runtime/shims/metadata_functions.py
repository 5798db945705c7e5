"""Functions of torch that ask for the metadata of tensors, and give no tensor.

    dtype = torch.result_type(x, 3.5)
    torch.nn.parameter.is_lazy(weight)        # as in `Module.load_state_dict`

Dynamo puts a call of torch into the graph, and breaks the graph where the result is no tensor. The fake tensors of the
trace have the metadata and no data, so a result that they give is known in the trace.
"""

from __future__ import annotations

from typing import Any, Optional

import torch

from ..base import hooks, trace_state
from ..base.dynamo_values import kind_of_break

FEATURE = hooks.Feature(__name__, hooks.GAIN, "functions of torch for the metadata of tensors")
NO_TENSOR = "torch.* op returned non-Tensor"
RESULTS = (bool, str, torch.dtype, torch.device, torch.layout, torch.memory_format)


@FEATURE.hook("torch_function.call")
def fold_metadata(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Take the result that fake tensors give."""
    from ..base.torch_names import Unsupported, VariableTracker

    try:
        return call(self, tx, args, kwargs)
    except Unsupported as error:
        if kind_of_break(error) != NO_TENSOR or kwargs:
            raise
        values = [value_of(argument.realize()) for argument in args]
        result = None if any(value is None for value in values) else self.value(*values)
        if type(result) not in RESULTS:
            raise
    made = next(iter(reversed(tx.output.graph.nodes)))  # by the call that broke the graph
    if made.target is self.value:
        tx.output.graph.erase_node(made)
    return VariableTracker.build(tx, result)


def value_of(variable: Any) -> Optional[Any]:
    """The fake tensor or the constant behind Dynamo's variable; None for other variables, and for None."""
    if variable.is_tensor():
        return variable.as_proxy().node.meta["example_value"]
    return variable.as_python_constant() if variable.is_python_constant() else None
