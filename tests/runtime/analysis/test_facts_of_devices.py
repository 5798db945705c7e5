"""Which kernels assert on a device and about which arguments, and which arguments operators write to."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from graphmend.runtime.analysis import aten_facts, device_facts

ATEN = torch.ops.aten
X, N, M = torch.ones(3, 3), torch.zeros(3, dtype=torch.int64), torch.ones(3, 3, dtype=torch.bool)
BYTES, EMPTY = M.to(torch.uint8), torch.ones(0, 3)
I32 = N.to(torch.int32)

# An operator with arguments; whether its kernel may assert, and the arguments that it asserts about.
KERNELS: dict[str, tuple[Any, tuple[Any, ...], bool, list[torch.Tensor]]] = {
    "a sum": (ATEN.add.Tensor, (X, X), False, []),
    "whole numbers by zero": (ATEN.div.Tensor, (N, N), False, []),
    "the rest of them": (ATEN.remainder.Tensor, (N, N), False, []),
    "an inverse": (ATEN.linalg_inv_ex.default, (X,), False, []),
    "draws": (ATEN.rand_like.default, (X,), False, []),
    "draws by one number": (ATEN.bernoulli.p, (X, 0.5), False, []),
    "draws by tensors": (ATEN.bernoulli.default, (X,), True, []),
    "rows by number": (ATEN.index.Tensor, (X, [N]), True, [N]),
    "rows by number, at a later dimension": (ATEN.index.Tensor, (X, [None, N]), True, [N]),
    "rows by two numbers": (ATEN.index.Tensor, (X, [N, I32]), True, [N, I32]),
    "by a mask": (ATEN.index.Tensor, (X, [M]), False, []),
    "by an old mask": (ATEN.index.Tensor, (X, [BYTES]), False, []),
    "by a mask and numbers": (ATEN.index.Tensor, (X, [M[0], N]), True, [N]),
    "a write by number": (ATEN.index_put.default, (X, [N], X), True, [N]),
    "a write by a mask": (ATEN.index_put.default, (X, [M], X), False, []),
    "a table": (ATEN.embedding.default, (X, N), True, [N]),
    "a table without rows": (ATEN.embedding.default, (EMPTY, N), True, []),
    "a choice": (ATEN.index_select.default, (X, 0, N), True, [N]),
    "a gather": (ATEN.gather.default, (X, 0, N), True, [N]),
    "a scatter": (ATEN.scatter_add.default, (X, 0, N, X), True, [N]),
    "a loss": (ATEN.nll_loss_forward.default, (X, N, None, 1, -100), True, [N]),
    "a scatter by a mask": (ATEN.masked_scatter.default, (X, M, X), True, [M]),
    "one of many": (ATEN.one_hot.default, (N, 3), True, []),
}


@pytest.mark.parametrize("name", KERNELS)
def test_kernels(name: str) -> None:
    overload, args, asserts, indices = KERNELS[name]
    assert device_facts.asserts(overload, args) is asserts
    found = device_facts.indices_of(overload, args, {})
    assert len(found) == len(indices) and all(one is other for one, other in zip(found, indices))


def test_indices_by_name() -> None:
    found = device_facts.indices_of(ATEN.index_select.default, (X,), {"dim": 0, "index": N})
    assert len(found) == 1 and found[0] is N
    assert device_facts.indices_of(ATEN.index_select.default, (EMPTY,), {"dim": 0, "index": N}) == []


def test_layouts_of_indices() -> None:
    laid = [
        ATEN.index.Tensor,
        ATEN.take.default,
        ATEN.embedding.default,
        ATEN.gather.default,
        ATEN._unsafe_index.Tensor,
    ]
    assert [device_facts.keeps_layout(overload) for overload in laid] == [True, True, False, False, True]


def test_sizes_with_elements() -> None:
    assert [device_facts.has_elements(size) for size in (0, 1, 2)] == [False, True, True]


Written = tuple[Any, tuple[Any, ...], dict[str, Any], list[torch.Tensor]]
A, B, C = torch.ones(3), torch.ones(3), torch.ones(3)
WRITTEN: dict[str, Written] = {
    "nothing": (ATEN.add.Tensor, (A, B), {}, []),
    "in place": (ATEN.add_.Tensor, (A, B), {}, [A]),
    "in place, by name": (ATEN.add_.Tensor, (), {"self": A, "other": B}, [A]),
    "into a result": (ATEN.add.out, (A, B), {"out": C}, [C]),
    "into two results": (ATEN.sort.values, (A,), {"values": B, "indices": C}, [B, C]),
    "into many": (ATEN._foreach_add_.Scalar, ([A, B], 1), {}, [A, B]),
    "statistics in training": (ATEN.native_batch_norm.default, (X, None, None, A, B, True, 0.1, 1e-5), {}, [A, B]),
    "statistics at rest": (ATEN.native_batch_norm.default, (X, None, None, A, B, False, 0.1, 1e-5), {}, []),
    "no statistics": (ATEN.native_batch_norm.default, (X, None, None, None, None, True, 0.1, 1e-5), {}, []),
    "statistics by name": (
        ATEN.native_batch_norm.default,
        (X, None, None),
        {"running_mean": A, "running_var": None, "training": True, "momentum": 0.1, "eps": 1e-5},
        [A],
    ),
    "a table that is scaled": (ATEN.embedding_renorm_.default, (X, N, 1.0, 2.0), {}, [X]),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_written_tensors(name: str) -> None:
    overload, args, kwargs, expected = WRITTEN[name]
    found = aten_facts.written_tensors(overload, args, kwargs)
    assert len(found) == len(expected) and all(one is other for one, other in zip(found, expected))
