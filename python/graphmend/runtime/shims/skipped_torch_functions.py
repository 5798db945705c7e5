"""Functions of torch in Python that Dynamo skips by name or takes as they are, and that it can trace.

    self.schedule.step()                                            # Dynamo skips the file of the schedulers
    torch.distributions.Normal(mean, scale, validate_args=True)     # and a question that a distribution asks
    torch.jit.isinstance(x, torch.Tensor)                           # and the file of TorchScript
    torch.typename(x)                                               # and the first file of torch
    torch._assert(width > 0, f"box {box} is empty")                 # and writes an assertion that fails into the graph

A scheduler wraps the `step` of its optimizer in a function of the skipped file, so Dynamo skips the optimizer, too. All
of these functions are plain Python: arithmetic, and attributes of objects.
"""

from __future__ import annotations

import types
from typing import Any, Iterator

import torch

from ..base import hooks, torch_names, trace_state
from ..base.dynamo_values import inline

FEATURE = hooks.Feature(__name__, hooks.GAIN, "schedulers, checks of distributions and of types, which Dynamo skips")

FUNCTIONS = (torch.distributions.constraints.is_dependent,)
TYPENAME = types.FunctionType(
    torch.typename.__code__.replace(co_filename=__file__), torch.typename.__globals__, torch.typename.__name__
)
GENERIC = (list, dict, tuple)  # TorchScript asks for their parameters


@FEATURE.scope
def trace_functions(trace: trace_state.Trace) -> Iterator[None]:
    """Take the functions out of Dynamo's tables of skipped functions."""
    files: set[str] = torch_names.FORCE_SKIP_FILES if torch_names.has("FORCE_SKIP_FILES") else set()
    rules: dict[Any, Any] = torch_names.get_torch_obj_rule_map()
    skipped_files = files & {file_of_schedulers()}
    rules_before = {function: rules[function] for function in FUNCTIONS if function in rules}
    files -= skipped_files
    rules.update(dict.fromkeys(rules_before, torch_names.UserFunctionVariable))
    try:
        yield
    finally:
        files |= skipped_files
        rules.update(rules_before)


@FEATURE.hook("skipped.call")
def trace_typename(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Trace `torch.typename` as a function of the program: a function with its own code object is not skipped."""
    return inline(tx, TYPENAME, args, kwargs) if self.value is torch.typename else hooks.DECLINED


def assert_condition(condition: Any, message: Any) -> None:
    if not condition:
        raise AssertionError(message)


@FEATURE.hook("torch_function.call")
def trace_assert(
    call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    """Trace an assertion about sizes and Python values as Python's; no graph takes a message that data decide."""
    if self.value is not torch_names._assert or not args:
        return hooks.DECLINED
    condition = args[0].realize()
    if not (condition.is_python_constant() or isinstance(condition, torch_names.SymNodeVariable)):
        return hooks.DECLINED
    return inline(tx, assert_condition, args, kwargs)


@FEATURE.hook("skipped.call")
def check_type(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Check the type of an object as TorchScript does: by Python's function for a class without parameters."""
    kind = args[1].realize() if self.value is torch.jit.isinstance and len(args) == 2 and not kwargs else None
    if kind is None or not kind.is_python_constant():
        return hooks.DECLINED
    wanted = kind.as_python_constant()
    if not isinstance(wanted, type) or wanted in GENERIC:
        return hooks.DECLINED
    return torch_names.VariableTracker.build(tx, isinstance).call_function(tx, args, {})


def file_of_schedulers() -> str:
    """The file of the learning rate schedulers, as Dynamo spells it."""
    return str(torch.optim.lr_scheduler.__file__).replace("\\", "/")
