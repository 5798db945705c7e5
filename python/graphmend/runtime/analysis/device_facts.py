"""Facts about operators on a device: which kernels assert, and which arguments they assert about.

    table[ids]            # an index out of bounds: IndexError on the processor; on a GPU the kernel asserts, and the
                          # process can use the device no more
    torch.linalg.inv(x)   # a singular matrix: the host waits for the device, and raises as on the processor

A kernel that asserts about indices is safe on zeros, wherever the dimension has a place 0. Operators without an entry
in a table below are taken for ones that assert.
"""

from __future__ import annotations

from typing import Any

import torch

from . import aten_facts

# Operators that may fail on data on the processor, with kernels that never assert: they have no condition on data, or
# the host reads the data and raises. From the CUDA kernels of PyTorch 2.9 to 2.15.
RAISED_BY_HOST = frozenset(
    """
    _adaptive_avg_pool2d_backward _batch_norm_with_update _cudnn_rnn _fft_c2c _fft_c2r _fft_r2c _linalg_check_errors
    _linalg_det _linalg_eigh _linalg_slogdet _linalg_solve_ex _linalg_svd _local_scalar_dense _native_batch_norm_legit
    _pdist_forward _thnn_fused_gru_cell _thnn_fused_lstm_cell _unique _unique2 bincount cholesky cholesky_inverse
    cholesky_solve col2im cudnn_batch_norm equal grid_sampler_2d grid_sampler_3d im2col linalg_cholesky_ex linalg_eigh
    linalg_inv_ex linalg_lu linalg_lu_factor_ex linalg_lu_solve linalg_qr linalg_solve_triangular masked_select
    miopen_batch_norm native_batch_norm native_dropout nonzero nonzero_static normal normal_functional rand rand_like
    randint randint_like randn randn_like randperm reflection_pad3d replication_pad3d triangular_solve uniform
    unique_consecutive unique_dim
    """.split()
)

# The arguments that hold indices, classes or places of a mask, by operator.
INDICES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys("embedding index index_put _unsafe_index _unsafe_index_put".split(), ("indices",)),
    **dict.fromkeys("index_select index_add index_copy index_fill index_reduce take put".split(), ("index",)),
    **dict.fromkeys("gather scatter scatter_add scatter_reduce".split(), ("index",)),
    **dict.fromkeys("nll_loss_forward nll_loss2d_forward".split(), ("target",)),
    "masked_scatter": ("mask",),
}

# Operators in which a mask chooses, without a condition on its values.
MASKED = frozenset("index index_put _unsafe_index _unsafe_index_put".split())


def asserts(overload: Any, args: tuple[Any, ...]) -> bool:
    """Whether the kernel of an operator may assert on a device, where the operator on the processor may raise."""
    name = aten_facts.name_of(overload)
    if name in aten_facts.INTEGER_DIVISION:  # a device divides whole numbers by zero, and tells nobody
        return False
    if name in RAISED_BY_HOST or (name == "bernoulli" and overload._overloadname in ("p", "float")):
        return False
    if name in MASKED and all(index is None or index.dtype in (torch.bool, torch.uint8) for index in args[1]):
        return False
    return name in INDICES or aten_facts.may_fail(overload, False, args)


def keeps_layout(overload: Any) -> bool:
    """Whether the result of an operator is laid out as its indices are."""
    return aten_facts.name_of(overload) in ("index", "_unsafe_index", "take")


def indices_of(overload: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[torch.Tensor]:
    """The tensors that the kernel asserts about, where zeros are safe in their places; empty where none are known."""
    name = aten_facts.name_of(overload)
    given = aten_facts.arguments_by_name(overload, args, kwargs)
    found: list[torch.Tensor] = []
    for argument in INDICES.get(name, ()):
        value = given.get(argument)
        found += [item for item in (value if isinstance(value, (list, tuple)) else [value]) if item is not None]
    if name in MASKED:
        found = [item for item in found if item.dtype not in (torch.bool, torch.uint8)]
    others = [item for item in given.values() if isinstance(item, torch.Tensor) and not any(item is x for x in found)]
    has_place = all(has_elements(size) for item in others for size in item.shape)
    return found if has_place else []


def has_elements(size: Any) -> bool:
    """Whether a size is known not to be 0."""
    from torch.fx.experimental.symbolic_shapes import statically_known_true

    return statically_known_true(size > 0)
