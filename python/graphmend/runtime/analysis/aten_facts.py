"""Facts about ATen operators: raising on data, random numbers, writes to arguments, scaled gradients.

A mend may compute both sides of a branch, or run a call twice. Only operators without surprises allow that:

    y = x + 1 if c else torch.linalg.inv(x)     # `inv` may raise for the data of the side not taken
    y = x + 1 if c else F.dropout(x)            # dropout draws: later draws of the program would differ
    y = torch.where(c, x + 1, x.sqrt())         # the derivative of `sqrt` scales by infinity at 0

Facts come from schemas and tags where PyTorch has them. The tables below hold facts without a tag: operators beside
pointwise operators that never fail on the values of their arguments, and derivatives bounded by constants.
"""

from __future__ import annotations

import functools
import math
from typing import Any, Optional

import torch

from ..base import torch_names

# Operators that never fail on data once they succeeded on tensors of the same shapes, dtypes and devices.
TOTAL = frozenset(
    """
    _adaptive_avg_pool2d _adaptive_avg_pool3d _addmm_activation _cdist_forward _conj _conj_physical _convolution
    _fused_rms_norm _log_softmax _native_batch_norm_legit_no_training _neg_view _reshape_alias
    _safe_softmax _scaled_dot_product_attention_math _scaled_dot_product_cudnn_attention
    _scaled_dot_product_efficient_attention _scaled_dot_product_flash_attention
    _scaled_dot_product_flash_attention_for_cpu _scaled_dot_product_fused_attention_overrideable _softmax
    _to_copy _unsafe_view _upsample_bicubic2d_aa _upsample_bilinear2d_aa _upsample_nearest_exact1d
    _upsample_nearest_exact2d
    _weight_norm_interface adaptive_max_pool2d addbmm addcdiv addcmul addmm addmv addr alias all amax amin
    aminmax any arange argmax argmin argsort as_strided atan2 avg_pool1d avg_pool2d avg_pool3d baddbmm bmm bucketize
    cat channel_shuffle clone complex constant_pad_nd contiguous convolution copy count_nonzero cumprod cummax cummin
    cumsum detach diag_embed diagonal dot empty empty_like empty_permuted empty_strided expand eye fill flip frac
    full full_like glu group_norm isin kthvalue lift lift_fresh lift_fresh_copy linalg_vector_norm linear linspace
    logcumsumexp logspace logsumexp masked_fill max max_pool2d_with_indices max_pool3d_with_indices mean
    median min mm mode mse_loss smooth_l1_loss huber_loss binary_cross_entropy_with_logits mv nanmedian nansum
    native_group_norm native_layer_norm new_empty new_empty_strided new_full new_ones new_zeros norm ones ones_like
    permute pixel_shuffle pixel_unshuffle polar prod reflection_pad1d reflection_pad2d renorm repeat replication_pad1d
    replication_pad2d roll rot90 scalar_tensor searchsorted select select_scatter slice slice_scatter sort split
    split_with_sizes squeeze stack std std_mean sum sym_numel sym_size sym_storage_offset sym_stride t to topk trace
    transpose tril triu unbind unfold unsafe_split unsqueeze upsample_bicubic2d upsample_bilinear2d
    upsample_linear1d upsample_nearest1d upsample_nearest2d upsample_trilinear3d var var_mean vdot view view_as_complex
    view_as_real where zeros zeros_like diff outer
    """.split()
)

# Functions whose calls on the CPU look at the data first, and raise; their calls on fake tensors make other operators,
# which never raise. All others of PyTorch's own operator tests ask for the number on fake tensors too.
RAISES_BEFORE_OPERATORS = frozenset(["one_hot"])

# Operators with the tag `pointwise` that can raise all the same: division of integers by zero.
INTEGER_DIVISION = frozenset("div floor_divide fmod remainder divide true_divide".split())

# Operators with the tag `pointwise` that can raise because of a number among their arguments, also beside floats.
CHECKS_NUMBERS = frozenset(["celu", "rrelu", "softshrink"])

# Operators whose arguments need one dtype; only the kernels check that, fake tensors do not.
PRODUCTS = frozenset("addbmm addmm addmv addr baddbmm bmm convolution _convolution dot linear mm mv vdot".split())

# Operators whose derivative multiplies the gradient by constants alone, or selects by a mask of zeros and ones. A
# gradient of zero stays zero for all data.
BOUNDED = frozenset(
    """
    _conj _reshape_alias _to_copy _unsafe_view add alias all any argmax argmin as_strided cat clamp clamp_max
    clamp_min clone constant_pad_nd contiguous copy cumsum detach diagonal empty_like eq expand full full_like ge gt
    isfinite isinf isnan le lift_fresh_copy logical_and logical_not logical_or logical_xor lt masked_fill ne neg
    new_empty new_full new_ones new_zeros ones ones_like permute relu repeat rsub select slice split
    split_with_sizes squeeze stack sub sum t transpose tril triu unbind unsqueeze view where zeros zeros_like
    """.split()
)

# Operators whose derivative reads the result: a write to the result before `backward` is an error in Python.
SAVES_RESULT = frozenset(
    """
    _cdist_forward _log_softmax _pdist_forward _softmax amax amin celu cholesky_inverse cholesky_solve copysign cumprod
    dist elu erfinv exp exp2 expm1 hypot ldexp linalg_vector_norm logcumsumexp logsumexp max median min nanmedian norm
    polar pow prod reciprocal relu rsqrt selu sgn sigmoid special_erfcx special_i0e special_i1 special_i1e
    special_log_ndtr special_ndtri sqrt std std_mean tan tanh triangular_solve
    """.split()
)

# Operators whose results have strides unlike those of the fake results, by the memory layout of an argument. Measured
# with the samples of PyTorch's own operator tests on the CPU: transposed, sliced, expanded and channels last.
OTHER_STRIDES = {
    "channels last": frozenset("channel_shuffle max_unpool2d reflection_pad3d replication_pad3d".split()),
    "other": frozenset(
        """
        _batch_norm_with_update _native_batch_norm_legit _native_batch_norm_legit_no_training batch_norm copysign
        div.Tensor_mode floor_divide heaviside ldexp log_sigmoid_forward logaddexp logical_and logical_or logical_xor
        native_batch_norm native_dropout normal special_xlog1py xlogy
        """.split()
    ),
}

# Operators that write to arguments although their schemas declare no write: the names of these arguments, and the
# argument that switches the write on, if there is a switch.
STATISTICS = ("running_mean", "running_var")
WRITES_UNSAID: dict[str, tuple[tuple[str, ...], Optional[str]]] = {
    "native_batch_norm": (STATISTICS, "training"),
    "cudnn_batch_norm": (STATISTICS, "training"),
    "miopen_batch_norm": (STATISTICS, "training"),
    "batch_norm_update_stats": (STATISTICS, None),
    "batch_norm_gather_stats": (STATISTICS, None),
    "batch_norm_gather_stats_with_counts": (STATISTICS, None),
    "_no_grad_embedding_renorm_": (("weight",), None),
}

# Operators with the tag `nondeterministic_seeded` draw no numbers where these arguments are zero, or false.
PROBABILITIES = ("dropout_p", "dropout")
TRAINING = ("train", "training")

# Libraries whose operators only compute.
PURE_LIBRARIES = frozenset(
    "aten prims prim torchvision torchaudio quantized quantized_decomposed mkldnn graphmend_functions".split()
)

CONTEXT_FUNCTIONS = ("_set_grad_enabled", "_enter_autocast", "_exit_autocast", "set_grad_enabled")


def name_of(overload: Any) -> str:
    """Base name of an operator, without namespace, overload and the final underscore of the in-place form."""
    name: str = overload._schema.name.partition("::")[2]
    if name.endswith("_") and not name.endswith("__"):
        return name[:-1]
    return name


def fills_mask(name: str, args: tuple[Any, ...]) -> bool:
    """Whether the operator stores one number where a mask is true."""
    if name not in ("index_put", "_unsafe_index_put") or len(args) < 3 or args[2].numel() != 1:
        return False
    return all(index is None or index.dtype == torch.bool for index in args[1])


def may_fail(overload: Any, integral: bool, args: tuple[Any, ...]) -> bool:
    """Whether the operator may raise because of the values in its tensor arguments; `integral`: no argument is a
    float.
    """
    if overload.namespace not in ("aten", "prims"):
        return True
    name = name_of(overload)
    if fills_mask(name, args):
        return False
    if name == "native_batch_norm" and len(args) > 5 and args[5] is False:
        return False
    if name == "_local_scalar_dense":
        return bool(args) and args[0].numel() != 1
    if integral and (name in INTEGER_DIVISION or name == "pow"):
        return True
    tags = overload.tags
    if torch.Tag.data_dependent_output in tags or torch.Tag.dynamic_output_shape in tags:
        return True
    return torch.Tag.pointwise not in tags and name not in TOTAL


@functools.lru_cache(maxsize=None)
def changes_shape(name: str) -> bool:
    """Whether an operator changes the shape of its first argument in place: `squeeze_`, `t_`, `as_strided_`."""
    packet = getattr(torch.ops.aten, name, None) if name.endswith("_") else None
    if not isinstance(packet, torch_names.OpOverloadPacket):  # `__name__` is a text of the namespace
        return False
    return any(torch.Tag.inplace_view in getattr(packet, overload).tags for overload in packet.overloads())


def saves_result(overload: Any) -> bool:
    """Whether the derivative of the operator reads the operator's result; assumed for all solvers."""
    name = name_of(overload)
    return name in SAVES_RESULT or name.lstrip("_").startswith(("linalg_", "scaled_dot_product"))


def draws(overload: Any, args: tuple[Any, ...] = (), kwargs: Optional[dict[str, Any]] = None) -> bool:
    """Whether the operator draws random numbers; with arguments, whether a call with these arguments draws."""
    schema = overload._schema
    tagged = torch.Tag.nondeterministic_seeded in overload.tags
    if not tagged and not any("Generator" in str(argument.type) for argument in schema.arguments):
        return False
    arguments_of_call = arguments_by_name(overload, args, kwargs or {})
    return all(arguments_of_call.get(name) != 0 for name in PROBABILITIES) and all(
        arguments_of_call.get(name) is not False for name in TRAINING
    )


def arguments_by_name(overload: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call by parameter name, with defaults; empty for a call without arguments."""
    arguments = overload._schema.arguments
    defaults = {item.name: item.default_value for item in arguments if item.has_default_value()} if args else {}
    return {**defaults, **dict(zip((item.name for item in arguments), args)), **kwargs}


def scales_gradient(overload: Any, args: tuple[Any, ...]) -> bool:
    """Whether the derivative multiplies the gradient by a factor that may be infinite for some data."""
    name = name_of(overload)
    if name in BOUNDED:
        return any(isinstance(arg, float) and not math.isfinite(arg) for arg in args)
    if name in ("mul", "div") and len(args) >= 2 and isinstance(args[1], (int, float)):
        factor = args[1] if name == "mul" else (1.0 / args[1] if args[1] else math.inf)
        return not math.isfinite(factor)
    return name != "mean"


def written_tensors(overload: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[torch.Tensor]:
    """The tensors among the arguments that the operator writes to."""
    tensors: list[torch.Tensor] = []
    for position, argument in enumerate(overload._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            value = args[position] if position < len(args) and not argument.kwarg_only else kwargs.get(argument.name)
            tensors += [value] if isinstance(value, torch.Tensor) else list(value or ())
    names, switch = WRITES_UNSAID.get(name_of(overload), ((), None))
    if names:
        arguments_of_call = arguments_by_name(overload, args, kwargs)
        if switch is None or arguments_of_call.get(switch):
            tensors += [
                arguments_of_call[name] for name in names if isinstance(arguments_of_call.get(name), torch.Tensor)
            ]
    return tensors


def size_of(value: Any) -> int:
    """Number of elements of a tensor, with hints for symbolic sizes."""
    total = 1
    for length in value.shape:
        total *= length if isinstance(length, int) else hint_of(length)
    return total


def hint_of(length: Any) -> int:
    """The size behind a symbolic size in the traced call; 1024 where the size has no hint."""
    hint: Optional[Any] = getattr(getattr(length, "node", None), "hint", None)
    return int(hint) if hint is not None else 1024


def cost_of(overload: Any, args: tuple[Any, ...], result: Any) -> int:
    """Rough number of arithmetic operations of one call."""
    outputs = [value for value in (result if isinstance(result, (tuple, list)) else [result])]
    elements = max([size_of(value) for value in outputs if isinstance(value, torch.Tensor)], default=0)
    tensors = [arg for arg in args if isinstance(arg, torch.Tensor)]
    name = name_of(overload)
    if name in ("mm", "bmm", "addmm", "baddbmm", "mv", "dot", "linear", "addbmm"):
        length = tensors[-2].shape[-1]
        return 2 * elements * (length if isinstance(length, int) else hint_of(length))
    if name in ("convolution", "_convolution"):
        channels = tensors[1].shape[0]
        return 2 * elements * max(1, size_of(tensors[1]) // max(1, int(channels)))
    if name.startswith("_scaled_dot_product"):
        return (
            4 * elements * hint_of(tensors[1].shape[-2])
            if not isinstance(tensors[1].shape[-2], int)
            else (4 * elements * int(tensors[1].shape[-2]))
        )
    return elements
