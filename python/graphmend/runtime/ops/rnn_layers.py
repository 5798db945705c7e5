"""Recurrent layers as operators of the graph, and as themselves where nobody compiles the graph.

    y, (h, c) = self.lstm(x)                  # Dynamo breaks at nn.LSTM, nn.GRU and nn.RNN
    # traced: graphmend_functions::recurrent("lstm", "00000", x, [h0, c0], weights, ...)
    # backward: graphmend_functions::recurrent_gradients(...) runs the layer once more

With Dynamo's option `allow_rnn` a compiler would unroll the layer step by step. The unrolled layer is slower than the
library, and fails under inductor on a CPU where gradients are recorded (torch 2.13). The operator calls the library,
and so do the gradients. The second run of the layer would cost too much in training: with gradients in training, with
dropout, autocast or a packed sequence, the graph calls the library's function itself. Backends that return
the graph take it; for compilers such layers keep their graph break, and so do layers with projections for all.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Iterable, Iterator, Optional

import torch

from ..base import call_stack, define_op, folders, hooks, torch_names, trace_state
from ..capture.data_scalars import is_compiler


@dataclasses.dataclass
class Layers:
    """The recurrent layers of one graph."""

    own: Optional[str] = None  # why the graph calls a function of the library itself, which no compiler may see


FEATURE = hooks.Feature(__name__, hooks.GAIN, "recurrent layers as operators", state=Layers)

TENSORS = "Tensor input, Tensor[] states, Tensor[] weights"
OPTIONS = "bool bias, int layers, float dropout, bool train, bool both, bool first"
RULE = "GM505"
PROJECTIONS = "projections"  # the library warns, and the warning names the line
Tensors = list[torch.Tensor]


def like_output(input: torch.Tensor, size: int, both: bool, first: bool) -> torch.Tensor:
    """A sequence like the layer's output: [steps, batch, size], transposed where the batch comes first."""
    steps, batch = (input.shape[1], input.shape[0]) if first else (input.shape[0], input.shape[1])
    output = input.new_empty((steps, batch, 2 * size if both else size))
    return output.transpose(0, 1) if first else output


def call_library(kind: str, tensors: list[torch.Tensor], states: int, options: Any) -> list[torch.Tensor]:
    """The library's results: the sequence, and the last states, each [layers and directions, batch, size].

    `tensors` are the input, the states (an LSTM has hidden and cell) and the weights; `states` is the number of states.
    """
    last = 1 + states
    states_argument = tensors[1:last] if kind == "lstm" else tensors[1]
    return list(getattr(torch_names._VF, kind)(tensors[0], states_argument, tensors[last:], *options))


def leaves(needed: str, tensors: Iterable[torch.Tensor]) -> list[torch.Tensor]:
    """The same tensors without a history; a `1` in `needed` marks a tensor that needs a gradient.

    With gradients, the library uses kernels with different last bits.
    """
    return [tensor.detach().requires_grad_(need == "1") for tensor, need in zip(tensors, needed)]


def layer(
    kind: str, needed: str, input: torch.Tensor, states: Tensors, weights: Tensors, *options: Any
) -> list[torch.Tensor]:
    """Kernel: the results of a layer."""
    with torch.set_grad_enabled("1" in needed):
        results = call_library(kind, leaves(needed, (input, *states, *weights)), len(states), options)
    return [result.detach() for result in results]


def like_layer(
    kind: str, needed: str, input: torch.Tensor, states: Tensors, weights: Tensors, *options: Any
) -> list[torch.Tensor]:
    """Fake kernel: tensors like the results of a layer."""
    output = like_output(input, states[0].shape[2], *options[-2:])
    return [output, *(torch.empty_like(state, memory_format=torch.contiguous_format) for state in states)]


def derive(
    kind: str, needed: str, gradients: Tensors, input: torch.Tensor, states: Tensors, weights: Tensors, *options: Any
) -> list[torch.Tensor]:
    """Kernel of the gradients: the gradients of input, states and weights, as marked in `needed`, from those of the
    results.
    """
    with torch.enable_grad():
        tensors = leaves(needed, (input, *states, *weights))
        results = call_library(kind, tensors, len(states), options)
    gradients_found = torch.autograd.grad(results, [tensor for tensor in tensors if tensor.requires_grad], gradients)
    return [tensor.contiguous() for tensor in gradients_found]


def like_derive(
    kind: str, needed: str, gradients: Tensors, input: torch.Tensor, states: Tensors, weights: Tensors, *options: Any
) -> list[torch.Tensor]:
    """Fake kernel: tensors like the gradients."""
    wanted = [tensor for tensor, need in zip((input, *states, *weights), needed) if need == "1"]
    return [torch.empty_like(tensor, memory_format=torch.contiguous_format) for tensor in wanted]


def keep(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    """Keep the arguments for the gradients."""
    ctx.kind, ctx.needed, input, states, weights, *ctx.options = inputs
    ctx.states = len(states)
    ctx.save_for_backward(input, *states, *weights)


def backward(ctx: Any, gradients: list[Optional[torch.Tensor]]) -> tuple[Any, ...]:
    """The gradients of the arguments of a layer."""
    tensors, last = list(ctx.saved_tensors), 1 + ctx.states
    parts = (tensors[0], tensors[1:last], tensors[last:])
    empty = like_layer(ctx.kind, ctx.needed, *parts, *ctx.options)
    result_gradients = [torch.zeros_like(like) if one is None else one for one, like in zip(gradients, empty)]
    if torch.is_grad_enabled():  # the gradients are differentiated as well (`create_graph`)
        results = call_library(ctx.kind, tensors, ctx.states, ctx.options)
        wanted = [one for one in tensors if one.requires_grad]
        gradients_found = iter(torch.autograd.grad(results, wanted, result_gradients, create_graph=True))
    else:
        gradients_found = iter(DERIVE(ctx.kind, ctx.needed, result_gradients, *parts, *ctx.options))
    by_argument = [next(gradients_found) if need == "1" else None for need in ctx.needed]
    return None, None, by_argument[0], by_argument[1:last], by_argument[last:], *(None for _ in ctx.options)


LAYER = define_op.define(f"recurrent(str kind, str needed, {TENSORS}, {OPTIONS}) -> Tensor[]", layer, like_layer)
DERIVE = define_op.define(
    f"recurrent_gradients(str kind, str needed, Tensor[] gradients, {TENSORS}, {OPTIONS}) -> Tensor[]",
    derive,
    like_derive,
)
define_op.derive(LAYER, backward, keep)
KINDS = [(getattr(torch_names._VF, kind), kind) for kind in ("lstm", "gru", "rnn_tanh", "rnn_relu")]


@FEATURE.hook("torch_function.call")
def call_layer(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Make the graph hold a recurrent layer as an operator."""
    from ..base.torch_names import TupleVariable, wrap_fx_proxy

    kind = next((kind for function, kind in KINDS if self.value == function), None)
    if kind is None:
        return hooks.DECLINED
    tensors = tensors_of(args) if len(args) == 9 and not kwargs else None
    reason = "a packed sequence" if tensors is None else what_forbids(tensors, *args[5:7])
    if reason is not None:
        FEATURE.of(trace).own = text = f"a recurrent layer with {reason}"
        if reason == PROJECTIONS or not trace.whole or is_compiler(getattr(tx.output.compiler_fn, "inner", None)):
            raise trace_state.SiteRefused(text)
    trace.libraries[site_of_layer(tx)] = None
    if tensors is None or reason is not None:
        return hooks.DECLINED
    input, states, *rest = (arg.as_proxy() for arg in args)
    needed = "".join("01"[torch.is_grad_enabled() and tensor.requires_grad] for tensor in tensors)
    inputs = (kind, needed, input, states if kind == "lstm" else [states], *rest)
    proxy = tx.output.create_proxy("call_function", LAYER, inputs, {})
    return TupleVariable(wrap_fx_proxy(tx, proxy).unpack_var_sequence(tx))


def not_for_compilers(trace: trace_state.Trace) -> Optional[str]:
    """The reason why no compiler may have the graph of a trace; None if compilers may."""
    return FEATURE.of(trace).own


@FEATURE.scope
def allow_layers(trace: trace_state.Trace) -> Iterator[None]:
    """Let Dynamo trace into recurrent layers."""
    with torch_names.dynamo_config.patch(allow_rnn=True):
        yield


def tensors_of(args: Any) -> Optional[list[torch.Tensor]]:
    """The fake tensors of a layer's input, states and weights; None for a packed sequence."""
    from ..base.torch_names import ListVariable, TupleVariable

    if not isinstance(args[2].realize(), (ListVariable, TupleVariable)):
        return None
    states = args[1].realize()
    both = states.items if isinstance(states, (ListVariable, TupleVariable)) else [states]
    return [item.realize().as_proxy().node.meta["example_value"] for item in (args[0], *both, *args[2].realize().items)]


def what_forbids(tensors: list[torch.Tensor], dropout: Any, train: Any) -> Optional[str]:
    """The reason why an operator cannot take the place of a layer; None if an operator can."""
    if tensors[2].dim() == 3 and tensors[1].shape[2] != tensors[2].shape[2]:
        return PROJECTIONS
    if train.as_python_constant() and torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors):
        return "gradients in training"
    if train.as_python_constant() and dropout.as_python_constant():
        return "dropout"
    if any(torch.is_autocast_enabled(tensor.device.type) for tensor in tensors):
        return "autocast"
    first = tensors[0]
    same_kind = all(one.dtype == first.dtype and one.device == first.device for one in tensors)
    if not same_kind or not first.is_floating_point() or any(one.layout != torch.strided for one in tensors):
        return "tensors of several kinds"
    return None


def site_of_layer(tx: Any) -> str:
    """The name of the place in the program that calls the layer."""
    while tx.f_code.co_filename.startswith(folders.TORCH) and tx.parent is not None:
        tx = tx.parent
    return call_stack.site_at(tx, RULE, call_stack.column_at(tx))
