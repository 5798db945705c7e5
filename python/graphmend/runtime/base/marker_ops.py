"""Marker operators: marks in the graph that Dynamo hands to the backend. Markers never run.

    if _gm.on(SITE):                    # mended source
        _gm.branch(SITE, test, ...)     # the graph: enter(SITE#0, test) ... otherwise(...) ... leave(...)
        _gm.check(SITE, failed)         #            check(SITE#1, failed)

The dialect calls an operator of the library `graphmend` with a key, the name of the site and a number. The passes read
regions, checks and events from the markers, and erase the markers before the backend compiles the graph.
"""

from __future__ import annotations

from typing import Any, Optional

import torch
from torch.fx.node import has_side_effect

from . import trace_state
from .define_op import library, register_fake
from .owned_state import OwnedState

LIBRARY = library("graphmend")

# The keys of pairs in one trace whose sides have the same sizes and other strides.
DIFFERING: OwnedState[dict[str, None]] = OwnedState(__name__, dict)

SCHEMAS = {
    "enter": "(str key, Tensor predicate) -> ()",
    "otherwise": "(str key) -> ()",
    "leave": "(str key) -> ()",
    "done": "(str key) -> ()",
    "pair": "(str key, Tensor first, Tensor second) -> ()",
    "join": "(str key, Tensor test) -> ()",
    "check": "(str key, Tensor predicate) -> ()",
    "decide": "(str key, Tensor predicate, bool answer) -> ()",
    "event": "(str key, Tensor[] values) -> ()",
    "hook": "(str key, Tensor tensor) -> ()",
    "switch": "(str key, Tensor tensor) -> ()",
}


def nothing(*_: Any) -> None:
    """Kernel of all markers."""


def mismatch(first: torch.Tensor, second: torch.Tensor) -> Optional[str]:
    """The reason why two results cannot be selected element by element, None if they can."""
    from torch.fx.experimental.symbolic_shapes import statically_known_true

    if first.device != second.device:
        return f"the two sides are on different devices ({first.device} and {second.device})"
    if first.layout != torch.strided or second.layout != torch.strided:
        return "a side has a sparse layout"
    if first.dim() != second.dim():
        return f"the two sides have different ranks ({first.dim()} and {second.dim()})"
    if not all(statically_known_true(a == b) for a, b in zip(first.shape, second.shape)):
        return f"the two sides have different shapes ({tuple(first.shape)} and {tuple(second.shape)})"
    if not is_row_of_integers(first) and not have_equal_strides(first, second):
        return f"the two sides have different strides ({first.stride()} and {second.stride()})"
    if first.is_conj() != second.is_conj() or first.is_neg() != second.is_neg():
        return "a side is a lazy conjugate or negative"
    return None


def is_row_of_integers(value: torch.Tensor) -> bool:
    """Whether an operator computes the same from a tensor whatever the strides: a row of numbers that are not rounded,
    such as the tokens of one step.
    """
    return value.dim() == 1 and not value.is_floating_point() and not value.is_complex()


def have_equal_strides(first: torch.Tensor, second: torch.Tensor) -> bool:
    """Whether two tensors of one rank lie in memory in the same way."""
    from torch.fx.experimental.symbolic_shapes import statically_known_true

    return all(statically_known_true(a == b) for a, b in zip(first.stride(), second.stride()))


def fake_pair(key: str, first: torch.Tensor, second: torch.Tensor) -> None:
    """Compare the two sides while tracing, before the graph combines them."""
    trace = trace_state.local.trace
    reason = mismatch(first, second)
    if reason is not None and trace is not None:
        trace.refuse(site_of(key), reason)
        raise trace_state.SiteRefused(reason)
    if trace is not None and first.dim() == 1 and not have_equal_strides(first, second):
        DIFFERING.of(trace)[key] = None


for _name, _schema in SCHEMAS.items():
    LIBRARY.define(_name + _schema)
    LIBRARY.impl(_name, nothing, "CompositeExplicitAutograd")
    register_fake(f"graphmend::{_name}", fake_pair if _name == "pair" else nothing, lib=LIBRARY)
    has_side_effect(getattr(torch.ops.graphmend, _name).default)

enter = torch.ops.graphmend.enter.default
otherwise = torch.ops.graphmend.otherwise.default
leave = torch.ops.graphmend.leave.default
done = torch.ops.graphmend.done.default
pair = torch.ops.graphmend.pair.default
join = torch.ops.graphmend.join.default
check = torch.ops.graphmend.check.default
decide = torch.ops.graphmend.decide.default
event = torch.ops.graphmend.event.default
hook = torch.ops.graphmend.hook.default
switch = torch.ops.graphmend.switch.default


LIBRARY.define("test(str key, Scalar number) -> Tensor")
register_fake("graphmend::test", lambda key, number: torch.empty((), dtype=torch.bool), lib=LIBRARY)
test = torch.ops.graphmend.test.default


def key_of(site: str, number: int) -> str:
    """Name of one use of a site in a graph."""
    return f"{site}#{number}"


def site_of(key: str) -> str:
    """The site behind a key."""
    return key.rpartition("#")[0]


def kind_of(node: torch.fx.Node) -> Optional[str]:
    """The kind of a marker node, None for all further nodes."""
    if node.op != "call_function":
        return None
    name = getattr(node.target, "_qualified_op_name", None) or getattr(node.target, "_qualname", None)
    if name is None:
        packet = str(node.target)
        return packet.split(".")[1] if packet.startswith("graphmend.") else None
    space, _, rest = str(name).replace("::", ".").partition(".")
    return rest.split(".")[0] if space == "graphmend" else None
