"""The wrapper around the callable of `torch.compile`: it picks a variant, and runs the deferred effects of the graph.

    call(x)  ->  the variant that ran last  ->  deferred effects  ->  result
                  | Failure, Break
                  v
                 Variants.recover: another variant, parts, or eager Python

Every call passes through here, so the function `call` does little, and calls no function of the runtime where a graph
without deferred effects runs.
"""

from __future__ import annotations

import functools
import random
from typing import Any, Callable, Optional

import torch

from ..base import function_modes, saved_tensor_hooks, torch_names, trace_state
from ..base.trace_state import replays
from ..effects.flush import carry_out
from .outcomes import complete, failure_of, run_eagerly
from .variants import Variants


def has_hooks(module: torch.nn.Module) -> bool:
    """Whether a call of the module runs more than its forward function."""
    everywhere = torch.nn.modules.module
    return bool(
        module._forward_hooks
        or module._forward_pre_hooks
        or module._backward_hooks
        or module._backward_pre_hooks
        or everywhere._global_forward_hooks
        or everywhere._global_forward_pre_hooks
        or everywhere._global_backward_hooks
        or everywhere._global_backward_pre_hooks
    )


def wrap(variants: Variants, function: Callable[..., Any], module: Optional[torch.nn.Module]) -> Callable[..., Any]:
    """The callable that the user gets for `function`; `module` is the module that it calls, if it calls one."""
    whole, partial_modes = variants.whole[0].run, variants.partial_modes
    record, local = variants.record, trace_state.local
    has_saved_hooks = torch_names._top_saved_tensors_default_hooks
    has_modes = torch_names._is_torch_function_mode_enabled

    @functools.wraps(whole)
    def call(*args: Any, **kwargs: Any) -> Any:
        if replays and local.replay is not None:
            return run_eagerly(function, args, kwargs)
        if (partial_modes and torch.is_grad_enabled() in partial_modes) or (module is not None and has_hooks(module)):
            return variants.partial()(*args, **kwargs)
        if has_saved_hooks(True) is not None and saved_tensor_hooks.notice_tensors():
            if record.selects and saved_tensor_hooks.belong_to_program():
                return run_eagerly(function, args, kwargs)
            return variants.partial()(*args, **kwargs)
        if has_modes() and function_modes.belong_to_program():
            return variants.partial()(*args, **kwargs)
        if variants.locks and local.holder is not variants:
            return variants.locked(variants.locks, function, args, kwargs)
        variants.calls += 1
        if record.calls_random:
            local.generator = random.getstate()
        try:
            result = variants.latest.run(*args, **kwargs)
        except BaseException as error:
            failure = failure_of(error)
            if failure is None:
                raise
        else:
            waiting = local.waiting
            if waiting[0] is None:
                if record.calls_random:
                    local.pending = None
                return result
            after = carry_out(waiting)
            if after is None:
                return result
            return complete(result, after, lambda: variants.run_eagerly(function, args, kwargs))
        return variants.recover(failure, function, args, kwargs)

    variants.call = call
    call._torchdynamo_wrapper_id = id(call)  # type: ignore[attr-defined]
    call.__wrapped__ = getattr(whole, "__wrapped__", function)
    return call


def _wrapper_code() -> Any:
    """The code object shared by all wrappers."""
    for constant in wrap.__code__.co_consts:
        if getattr(constant, "co_name", None) == "call":
            return constant
    raise AssertionError("the wrapper has no code")


WRAPPER_CODE = _wrapper_code()
