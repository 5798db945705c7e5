"""The CTC loss (connectionist temporal classification) as an operator of the graph.

    loss = F.ctc_loss(log_probs, targets, lengths, sizes)
    # traced: graphmend_functions::ctc_loss(...)
    # backward: graphmend_functions::ctc_gradient(gradient, ...)

torch keeps a table for the gradient. The data decide the size of the table, and torch has no fake kernel for the size,
so no graph can hold the table. Only the gradient reads the table. Both operators compute the table anew, by the same
kernels.
"""

from __future__ import annotations

from typing import Any

import torch

from ..base import define_op, hooks, trace_state
from ..base.dynamo_values import inline

FEATURE = hooks.Feature(__name__, hooks.GAIN, "CTC loss as an operator")

ARGUMENTS = (
    "Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, "
    "int blank, int reduction, bool zero_infinity"
)
REDUCTIONS = ("none", "mean", "sum")


def loss(log_probs: torch.Tensor, *options: Any) -> torch.Tensor:
    """The loss without a gradient."""
    return torch.ctc_loss(log_probs.detach(), *options)


def gradient_of(gradient: torch.Tensor, log_probs: torch.Tensor, *options: Any) -> torch.Tensor:
    """The gradient of the log-probabilities, from a gradient of the loss."""
    with torch.enable_grad():
        leaf = log_probs.detach().requires_grad_()
        return torch.autograd.grad(torch.ctc_loss(leaf, *options), leaf, gradient)[0]


def fake_loss(log_probs: torch.Tensor, *options: Any) -> torch.Tensor:
    """Shape of the loss: one number, or one for each sequence."""
    return log_probs.new_empty(log_probs.shape[1:2] if options[4] == 0 and log_probs.dim() == 3 else ())


def fake_gradient(gradient: torch.Tensor, log_probs: torch.Tensor, *options: Any) -> torch.Tensor:
    """Shape of the gradient."""
    return torch.empty_like(log_probs, memory_format=torch.contiguous_format)


def keep(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    """Keep the arguments for the gradient."""
    ctx.save_for_backward(*inputs[:4])
    ctx.others = inputs[4:]


def run_back(ctx: Any, gradient: torch.Tensor) -> tuple[Any, ...]:
    """The gradient of the loss."""
    gradient_of_inputs = GRADIENT(gradient, *ctx.saved_tensors, *ctx.others)
    return (gradient_of_inputs, *[None] * 6)


LOSS = define_op.define(f"ctc_loss({ARGUMENTS}) -> Tensor", loss, fake_loss)
GRADIENT = define_op.define(f"ctc_gradient(Tensor gradient, {ARGUMENTS}) -> Tensor", gradient_of, fake_gradient)
define_op.derive(LOSS, run_back, keep)


def ctc_loss(
    log_probs: torch.Tensor,
    targets: torch.Tensor,
    input_lengths: torch.Tensor,
    target_lengths: torch.Tensor,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> torch.Tensor:
    """`torch.nn.functional.ctc_loss` of tensors."""
    kind = 0 if reduction == "none" else 1 if reduction == "mean" else 2
    result: torch.Tensor = LOSS(log_probs, targets, input_lengths, target_lengths, blank, kind, zero_infinity)
    return result


@FEATURE.hook("torch_function.call")
def call_loss(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Make the graph hold the loss as an operator."""
    if (
        self.value is not torch.nn.functional.ctc_loss
        or len(args) < 4
        or not all(item.is_tensor() for item in args[:4])
    ):
        return hooks.DECLINED
    reduction = args[5] if len(args) > 5 else kwargs.get("reduction")
    if reduction is not None and reduction.as_python_constant() not in REDUCTIONS:
        return hooks.DECLINED
    return inline(tx, ctc_loss, args, kwargs)
