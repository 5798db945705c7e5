"""Recurrent layers that need no gradients, as operators of the graph.

Dynamo gives up at `nn.LSTM`, `nn.GRU` and `nn.RNN`: a compiler would write them out step by step (`allow_rnn`), which
takes longer than the library, and fails under inductor on a CPU where gradients are recorded (torch 2.13). As one
operator that calls the library they are what they are in eager Python.
"""

from __future__ import annotations

import os
from typing import Any, Iterator, Optional

import torch

from . import state

LIBRARY = torch.library.Library("graphmend_recurrent", "DEF")
OPTIONS = "Tensor[] weights, bool bias, int layers, float dropout, bool train, bool both, bool first"
TORCH_FOLDER = os.path.dirname(torch.__file__) + os.sep
RULE = "GM505"


def like_output(input: torch.Tensor, size: int, both: bool, first: bool) -> torch.Tensor:
    """What the sequence looks like that a layer gives: [steps, batch, size], transposed where the batch is first."""
    steps, batch = (input.shape[1], input.shape[0]) if first else (input.shape[0], input.shape[1])
    output = input.new_empty((steps, batch, 2 * size if both else size))
    return output.transpose(0, 1) if first else output


def lstm(input: torch.Tensor, states: list[torch.Tensor], *options: Any) -> tuple[torch.Tensor, ...]:
    """`torch.nn.LSTM`; `states` are those of all layers, hidden and cell, [layers and directions, batch, size]."""
    return torch._VF.lstm(input, states, *options)


def like_lstm(input: torch.Tensor, states: list[torch.Tensor], *options: Any) -> tuple[torch.Tensor, ...]:
    output = like_output(input, states[0].shape[2], *options[-2:])
    return output, *(torch.empty_like(one, memory_format=torch.contiguous_format) for one in states)


def like_others(input: torch.Tensor, states: torch.Tensor, *options: Any) -> tuple[torch.Tensor, ...]:
    output = like_output(input, states.shape[2], *options[-2:])
    return output, torch.empty_like(states, memory_format=torch.contiguous_format)


LIBRARY.define(f"lstm(Tensor input, Tensor[] states, {OPTIONS}) -> (Tensor, Tensor, Tensor)")
LIBRARY.impl("lstm", lstm, "CompositeExplicitAutograd")
torch.library.register_fake("graphmend_recurrent::lstm", like_lstm, lib=LIBRARY)
for name in ("gru", "rnn_tanh", "rnn_relu"):
    LIBRARY.define(f"{name}(Tensor input, Tensor states, {OPTIONS}) -> (Tensor, Tensor)")
    LIBRARY.impl(name, getattr(torch._VF, name), "CompositeExplicitAutograd")
    torch.library.register_fake(f"graphmend_recurrent::{name}", like_others, lib=LIBRARY)
OPERATORS = [
    (getattr(torch._VF, name), getattr(torch.ops.graphmend_recurrent, name).default)
    for name in ("lstm", "gru", "rnn_tanh", "rnn_relu")
]


@state.in_whole_calls
def layers_held(trace: state.Trace) -> Iterator[None]:
    """Let a trace of a whole call inside the block hold such layers."""
    from torch._dynamo.variables import TorchInGraphFunctionVariable
    from torch._dynamo.variables.builder import wrap_fx_proxy

    call = TorchInGraphFunctionVariable.call_function

    def calling(self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
        operator = next((operator for function, operator in OPERATORS if self.value == function), None)
        if operator is None:
            return call(self, tx, args, kwargs)
        tensors = tensors_of(args) if len(args) == 9 and not kwargs else None
        reason = "a packed sequence" if tensors is None else what_forbids(tensors, *args[5:7])
        if reason is not None:
            raise state.SiteRefused(f"a recurrent layer with {reason}")
        trace.libraries[site_of_layer(tx)] = None
        inputs = tuple(arg.as_proxy() for arg in args)
        return wrap_fx_proxy(tx, tx.output.create_proxy("call_function", operator, inputs, {}))

    TorchInGraphFunctionVariable.call_function = calling
    try:
        with torch._dynamo.config.patch(allow_rnn=True):
            yield
    finally:
        TorchInGraphFunctionVariable.call_function = call


def tensors_of(args: Any) -> Optional[list[torch.Tensor]]:
    """The fake tensors of a layer that is given a sequence, its states and its weights; None for a packed sequence."""
    from torch._dynamo.variables import ListVariable, TupleVariable

    if not isinstance(args[2].realize(), (ListVariable, TupleVariable)):
        return None
    states = args[1].realize()
    both = states.items if isinstance(states, (ListVariable, TupleVariable)) else [states]
    return [item.realize().as_proxy().node.meta["example_value"] for item in (args[0], *both, *args[2].realize().items)]


def what_forbids(tensors: list[torch.Tensor], dropout: Any, train: Any) -> Optional[str]:
    """Why a layer is not the same as one operator."""
    if torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors):
        return "gradients"
    if dropout.as_python_constant() and train.as_python_constant():
        return "dropout"
    if any(torch.is_autocast_enabled(tensor.device.type) for tensor in tensors):
        return "autocast"
    if tensors[2].dim() == 3 and tensors[1].shape[2] != tensors[2].shape[2]:
        return "projections"  # the library warns of them, and the warning tells the line
    first = tensors[0]
    alike = all(one.dtype == first.dtype and one.device == first.device for one in tensors)
    if not alike or not first.is_floating_point() or any(one.layout != torch.strided for one in tensors):
        return "tensors of several kinds"
    return None


def site_of_layer(tx: Any) -> str:
    """The name of the place in the program where the layer is called."""
    while tx.f_code.co_filename.startswith(TORCH_FOLDER) and tx.parent is not None:
        tx = tx.parent
    positions = getattr(tx.current_instruction, "positions", None)
    column = getattr(positions, "col_offset", None) or 0
    return f"{tx.f_code.co_filename}:{tx.lineno}:{column}:{RULE}"
