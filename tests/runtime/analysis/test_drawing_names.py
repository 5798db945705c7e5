"""The names by which code may ask torch for random numbers."""

from __future__ import annotations

from graphmend.runtime.analysis.drawing_names import drawing_names


def test_names_that_draw() -> None:
    found = "randn rand_like poisson exponential_ svd_lowrank pca_lowrank multi_head_attention_forward gumbel_softmax"
    found += " fractional_max_pool2d_with_indices xavier_uniform_ trunc_normal_ dropout1d rrelu lobpcg"
    assert set(found.split()) <= drawing_names()


def test_names_that_do_not() -> None:
    assert drawing_names().isdisjoint(["add", "relu", "normalize", "layer_norm", "linear", "eye", "ones", "sum"])
