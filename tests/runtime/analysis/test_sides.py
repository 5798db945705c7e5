"""What a side of a branch may hold, and what is known of a side: one call for each way in which a side is refused."""

from __future__ import annotations

import operator
from typing import Any, Callable

import pytest
import torch
import torch.nn.functional as F
from marked_graphs import Written
from torch.fx import Node

from graphmend.runtime.analysis.branch_proofs import (
    calls_behind,
    computes_values,
    examine_side,
    is_opaque,
    name_of,
    operator_names,
)
from graphmend.runtime.analysis.node_facts import storage_of

Build = Callable[[Written, Node, Node, Node], Any]  # of floats, of integers and of truths


def written(build: Build) -> list[Node]:
    """The nodes behind the inputs; a float matrix, integers and truths."""
    graph = Written()
    x, n = graph.input("x", 3, 3), graph.input("n", 3, dtype=torch.int64)
    m = graph.input("m", 3, 3, dtype=torch.bool)
    before = len(graph.graph.nodes)
    build(graph, x, n, m)
    return list(graph.graph.nodes)[before:]


def untraced(graph: Written, function: Any, *args: Any) -> Node:
    return graph.graph.call_function(function, args)


def sparse(graph: Written) -> Node:
    with graph.mode:
        value = torch.ones(3, 3).to_sparse()
    return graph.keep(graph.graph.placeholder("s"), value)


def real(graph: Written, container: Any) -> Node:
    """A container of a tensor that is not fake: no second call can be made with it."""
    return graph.keep(graph.graph.placeholder("r"), container([torch.ones(3)]))


NOT_SEEN = "may fail on data that the side does not see"
SIDES: dict[str, tuple[Build, str | None]] = {
    "nothing": (lambda g, x, n, m: None, None),
    "sums": (lambda g, x, n, m: g.call(torch.add, g.method("sum", x), 1), None),
    "an input": (lambda g, x, n, m: g.input("y"), None),
    "an attribute": (lambda g, x, n, m: g.graph.get_attr("weight"), None),
    "a mode": (lambda g, x, n, m: untraced(g, torch._C._set_grad_enabled, False), None),
    "an item of a tuple": (lambda g, x, n, m: g.call(operator.getitem, g.method("max", x, 0), 1), None),
    "an item of a tuple of tensors with data": (lambda g, x, n, m: g.call(operator.getitem, real(g, tuple), 0), None),
    "an item of a list of tensors with data": (lambda g, x, n, m: g.call(operator.getitem, real(g, list), 0), None),
    "a row": (lambda g, x, n, m: g.call(operator.getitem, x, 0), None),
    "rows by number": (
        lambda g, x, n, m: g.call(operator.getitem, x, n),
        f"`getitem` (aten::index.Tensor) {NOT_SEEN}",
    ),
    "a size": (lambda g, x, n, m: g.call(operator.getitem, g.method("size", x), 0), None),
    "a device": (lambda g, x, n, m: g.method("is_floating_point", x), None),
    "a module": (lambda g, x, n, m: g.graph.call_module("layer", (x,)), "a side calls the module `layer`"),
    "what is no function": (lambda g, x, n, m: untraced_text(g, x), "a side calls the module `layer`"),
    "a function that has functions": (
        lambda g, x, n, m: untraced(g, torch.ops.higher_order.cond, m, None, None),
        "a side uses the higher-order operator `cond`",
    ),
    "derivatives": (lambda g, x, n, m: untraced(g, torch.autograd.grad, x, x), "a side computes gradients"),
    "one of many": (lambda g, x, n, m: g.call(F.one_hot, n, 9), f"`one_hot` {NOT_SEEN}"),
    "what fails": (lambda g, x, n, m: untraced(g, torch.mm, x, n), "`mm` cannot be examined (RuntimeError)"),
    "numbers that fail": (
        lambda g, x, n, m: untraced(g, operator.truediv, 1, 0),
        "`truediv` cannot be examined (ZeroDivisionError)",
    ),
    "numbers": (lambda g, x, n, m: g.call(operator.truediv, 1, 2), None),
    "an unknown method": (
        lambda g, x, n, m: g.graph.call_method("gone", (x,)),
        "`gone` cannot be examined (AttributeError)",
    ),
    "a warning": (
        lambda g, x, n, m: g.call(F.softmax, x),
        "`softmax` shows a warning, which the side not taken would show as well",
    ),
    "a draw": (lambda g, x, n, m: g.call(torch.rand_like, x), "`rand_like` draws random numbers on one side"),
    "a dropout at rest": (lambda g, x, n, m: g.call(F.dropout, x, 0.5, False), None),
    "a dropout": (lambda g, x, n, m: g.call(F.dropout, x, 0.5, True), "`dropout` draws random numbers on one side"),
    "integers by integers": (
        lambda g, x, n, m: g.call(torch.floor_divide, n, n),
        f"`floor_divide` (aten::floor_divide) {NOT_SEEN}",
    ),
    "the rest of integers": (lambda g, x, n, m: g.call(torch.fmod, n, n), f"`fmod` (aten::fmod.Tensor) {NOT_SEEN}"),
    "the rest of floats": (lambda g, x, n, m: g.call(torch.fmod, x, n), None),
    "complex by integers": (lambda g, x, n, m: g.call(torch.div, g.call(torch.complex, x, x), n), None),
    "another shape in place": (
        lambda g, x, n, m: g.method("t_", g.call(torch.add, x, 1)),
        "`t_` changes what a tensor is, on one side",
    ),
    "a write to what has no memory": (
        lambda g, x, n, m: g.method("mul_", sparse(g), 2),
        "`mul_` writes to a tensor of unknown memory",
    ),
    "the first that is refused": (
        lambda g, x, n, m: (g.call(torch.rand_like, x), g.call(F.one_hot, n, 9)),
        "`rand_like` draws random numbers on one side",
    ),
    "one behind others": (
        lambda g, x, n, m: (g.call(torch.add, x, 1), g.input("y"), g.call(F.one_hot, n, 9)),
        f"`one_hot` {NOT_SEEN}",
    ),
}


def untraced_text(graph: Written, x: Node) -> Node:
    node = graph.graph.call_module("layer", (x,))
    node.op = "call_function"
    return node


@pytest.mark.parametrize("name", SIDES)
def test_what_a_side_may_hold(name: str) -> None:
    build, reason = SIDES[name]
    assert examine_side(written(build))[1] == reason


# The cost, whether a gradient may be scaled by infinity, and the writes: of how many nodes each.
KNOWN: dict[str, tuple[Build, int, bool, list[str]]] = {
    "nothing": (lambda g, x, n, m: None, 0, False, []),
    "a sum": (lambda g, x, n, m: g.call(torch.add, x, x), 9, False, []),
    "two sums": (lambda g, x, n, m: g.call(torch.add, g.call(torch.add, x, x), x), 18, False, []),
    "a product": (lambda g, x, n, m: g.call(torch.mm, x, x), 54, True, []),
    "a square root, then a sum": (lambda g, x, n, m: g.call(torch.add, g.call(torch.sqrt, x), x), 18, True, []),
    "a sum, then a square root": (lambda g, x, n, m: g.call(torch.sqrt, g.call(torch.add, x, x)), 18, True, []),
    "in place": (lambda g, x, n, m: g.method("add_", x, 1), 9, False, ["add_"]),
    "in place, twice": (lambda g, x, n, m: (g.method("add_", x, 1), g.method("neg_", n)), 12, False, ["add_", "neg_"]),
    "to its own memory": (lambda g, x, n, m: g.call(torch.nanmean, x), 30, True, []),
    "an item of several": (lambda g, x, n, m: g.call(operator.getitem, g.method("max", x, 0), 0), 3, True, []),
}


@pytest.mark.parametrize("name", KNOWN)
def test_what_is_known_of_a_side(name: str) -> None:
    build, cost, scales, writers = KNOWN[name]
    nodes = written(build)
    facts, reason = examine_side(nodes)
    assert reason is None
    assert (facts.cost, facts.scales) == (cost, scales)
    assert [node.name for node, _ in facts.writes] == writers
    for node, storage in facts.writes:
        assert storage == storage_of(node.args[0].meta["example_value"])  # type: ignore[union-attr]


CALLS: dict[str, tuple[Build, bool, list[str] | None]] = {
    "a sum": (lambda g, x, n, m: g.call(torch.add, x, 1), True, ["add"]),
    "a method": (lambda g, x, n, m: g.method("relu", x), True, ["relu"]),
    "an input": (lambda g, x, n, m: g.input("y"), False, []),
    "an attribute": (lambda g, x, n, m: g.graph.get_attr("weight"), False, []),
    "a mode": (lambda g, x, n, m: untraced(g, torch._C._set_grad_enabled, False), False, []),
    "a marker": (lambda g, x, n, m: untraced(g, torch.ops.graphmend.enter.default, "k#0", m), False, []),
    "an item of a tuple": (
        lambda g, x, n, m: g.call(operator.getitem, g.keep(g.graph.placeholder("t"), (1, 2)), 0),
        False,
        [],
    ),
    "an item of a list": (
        lambda g, x, n, m: g.call(operator.getitem, g.keep(g.graph.placeholder("t"), [1, 2]), 0),
        False,
        [],
    ),
    "a size": (
        lambda g, x, n, m: g.call(operator.getitem, g.keep(g.graph.placeholder("t"), torch.Size([2])), 0),
        False,
        [],
    ),
    "a row": (lambda g, x, n, m: g.call(operator.getitem, x, 0), True, ["select"]),
    "a module": (lambda g, x, n, m: g.graph.call_module("layer", (x,)), True, None),
    "a function that has functions": (
        lambda g, x, n, m: untraced(g, torch.ops.higher_order.cond, m, None, None),
        True,
        None,
    ),
    "what fails": (lambda g, x, n, m: untraced(g, torch.mm, x, n), True, None),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls_behind_a_node(name: str) -> None:
    build, computes, expected = CALLS[name]
    node = written(build)[-1]
    assert computes_values(node) is computes
    assert is_opaque(node) is (expected is None and "fails" not in name)
    calls = calls_behind(node)
    assert (calls is None) is (expected is None)
    if calls is not None:
        assert [overload._schema.name.partition("::")[2] for overload, _, _ in calls] == expected


def test_questions_of_metadata_are_no_calls() -> None:
    (node,) = written(lambda g, x, n, m: g.call(torch.ops.prim.device.default, x))
    assert calls_behind(node) == [] and examine_side([node])[1] is None


def test_names_of_operators() -> None:
    (node,) = written(lambda g, x, n, m: g.method("add_", x, 1))
    assert operator_names(node) == {"add", "add.Tensor"} and name_of(node) == "add_"
    (node,) = written(lambda g, x, n, m: untraced(g, torch.mm, x, n))
    assert operator_names(node) == set() and name_of(node) == "mm"
