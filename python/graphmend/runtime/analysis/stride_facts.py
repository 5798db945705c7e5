"""Nodes whose real tensors may have strides unlike those of their fake tensors.

    y = torch.ldexp(x.t(), n)                 # the fake result has the strides of `x.t()`
    z = torch.where(c, y, w)                  # the CPU kernel may give contiguous strides instead
    z.stride()                                # the program could tell

Some kernels choose a memory order of their own where an argument is neither contiguous nor channels last
(`aten_facts.OTHER_STRIDES`). A tensor selected from such a result has the strides of the fake tensors, and in eager
Python maybe different strides. The doubt goes on to the results of later operators.
"""

from __future__ import annotations

import functools
from typing import Any, Iterable

import torch
from torch.fx import Node

from ..base.torch_names import is_channels_last_contiguous_or_false, is_contiguous_or_false
from . import aten_facts
from .marker_regions import tensor_of


def nodes_with_doubtful_strides(nodes: Iterable[Node], names_of: Any) -> set[Node]:
    """The nodes of a graph whose results may have unexpected strides; `names_of` gives the ATen names behind a node."""
    doubtful_nodes: set[Node] = set()
    layout = functools.lru_cache(maxsize=None)(lambda source: layout_of(tensor_of(source)))
    for node in nodes:
        if not node.op.startswith("call") or not has_order(tensor_of(node)):
            continue
        inherits = any(source in doubtful_nodes for source in node.all_input_nodes)
        layouts = set(map(layout, node.all_input_nodes)) - {"contiguous"}
        if not inherits and not layouts:
            continue
        names = names_of(node)
        if names & aten_facts.PRODUCTS:
            continue
        differs = any(names & aten_facts.OTHER_STRIDES[layout] for layout in layouts)
        if inherits or differs:
            doubtful_nodes.add(node)
    return doubtful_nodes


def has_order(value: Any) -> bool:
    """Whether a result has dimensions that can lie in memory in several orders; assumed for containers."""
    return not isinstance(value, torch.Tensor) or value.layout == torch.strided and value.dim() > 1


def layout_of(value: Any) -> str:
    """The memory layout of a tensor, as far as known without guards on sizes."""
    if not isinstance(value, torch.Tensor) or value.layout != torch.strided or is_contiguous_or_false(value):
        return "contiguous"
    return "channels last" if is_channels_last_contiguous_or_false(value) else "other"
