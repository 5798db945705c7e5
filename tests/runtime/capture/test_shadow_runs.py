"""Shadow runs of unfinished graphs: what each node computes, what they leave as it was, and where they give up."""

from __future__ import annotations

import operator
import warnings
from collections import OrderedDict
from typing import Any, Callable

import numpy
import pytest
import torch
from live_traces import Begun, in_a_trace, symbol_of, traced
from marked_graphs import value_of
from torch._dynamo.source import LocalSource
from torch._dynamo.variables.builder import GraphArg
from torch.fx import Node

from graphmend.runtime.base import torch_names, trace_state
from graphmend.runtime.base.marker_ops import event, key_of
from graphmend.runtime.base.marker_ops import test as marked_test
from graphmend.runtime.capture import path_speculation
from graphmend.runtime.capture.path_speculation import SPECULATION, Path, Shadow, Speculation, nodes_from_modules

X, W = torch.tensor([1.0, -2.0, 3.0]), torch.tensor([2.0, 0.5, 4.0])
KEY = key_of("m.py:1:0:GM105", 0)


Build = Callable[[Begun, Node, Node], Node]


def written(graph: Begun, x: Node, w: Node) -> Node:
    with torch.no_grad():
        return graph.method("add_", x, 1)


def strange(x: torch.Tensor) -> torch.Tensor:
    """A function of the program."""
    raise AssertionError


# A node of a graph with an argument `x` and a parameter `w`, and its value.
VALUES: dict[str, tuple[Build, Any]] = {
    "an argument": (lambda g, x, w: x, X),
    "a sum": (lambda g, x, w: g.call(torch.add, x, w), X + W),
    "with a keyword": (lambda g, x, w: g.call(torch.add, x, w, alpha=2), X + 2 * W),
    "a method": (lambda g, x, w: g.method("sum", x, 0), X.sum()),
    "a method with a keyword": (lambda g, x, w: g.method("sum", x, dim=0, keepdim=True), X.sum(0, keepdim=True)),
    "an argument that is written": (written, X + 1),
    "rows": (lambda g, x, w: g.call(torch.nonzero, g.call(torch.gt, x, 0)), (X > 0).nonzero()),
    "a number": (lambda g, x, w: g.item(g.call(torch.sum, x)), 2.0),
    "a size of the call": (lambda g, x, w: unspecialized(g, 3), 3),
    "a float of the call": (lambda g, x, w: unspecialized(g, 2.5), 2.5),
    "a number of NumPy": (lambda g, x, w: g.given("n", numpy.int64(3)), torch.tensor(3)),
    "an array of NumPy": (lambda g, x, w: g.given("n", numpy.arange(3)), torch.arange(3)),
    "a tensor of the call": (lambda g, x, w: g.given("n", W * 2), W * 2),
    "a marked test": (lambda g, x, w: g.graph.call_function(marked_test, (KEY, 3)), torch.tensor(True)),
    "a marked test of 0": (lambda g, x, w: g.graph.call_function(marked_test, (KEY, 0)), torch.tensor(False)),
    "a marker": (lambda g, x, w: g.graph.call_function(event, (KEY, [x])), None),
    "an array": (lambda g, x, w: g.call(torch.tensor, x), X),
    "an array of another type": (lambda g, x, w: g.call(torch.tensor, x, dtype=torch.int64), X.long()),
    "a list": (lambda g, x, w: g.call(torch.tensor, [1, 2]), torch.tensor([1, 2])),
}
# Inputs of graphs, by what Dynamo notes of them, and what the shadow run computes with.
INPUTS: dict[str, tuple[GraphArg, Any]] = {
    "a number": (GraphArg(LocalSource("n"), 3, False, None, False), 3),
    "a text": (GraphArg(LocalSource("n"), "text", False, None, False), "text"),
    "a number as a tensor": (GraphArg(LocalSource("n"), 3, True, None, False), torch.tensor(3)),
}


@pytest.mark.parametrize("name", INPUTS)
def test_inputs(name: str) -> None:
    argument, expected = INPUTS[name]
    found = path_speculation.input_copy(argument)
    assert equal(found, expected) and (found is not argument.example or not isinstance(found, torch.Tensor))


def unspecialized(graph: Begun, number: float) -> Node:
    """A number that stands for all: Dynamo passes it to the graph."""
    with torch._dynamo.config.patch(assume_static_by_default=False, specialize_float=False):
        return graph.given("n", number)


RECORDING = {
    "gradients": (torch_names._set_fwd_grad_enabled, (False,)),
    "hooks": (torch_names._saved_tensors_hooks_disable, ("reason",)),
}


def equal(left: Any, right: Any) -> bool:
    if isinstance(right, torch.Tensor):
        return isinstance(left, torch.Tensor) and left.dtype == right.dtype and torch.equal(left, right)
    return type(left) is type(right) and bool(left == right)


@pytest.mark.parametrize("name", VALUES)
@traced()
def test_values(begun: Begun, name: str) -> None:
    build, expected = VALUES[name]
    before = X.clone(), W.clone(), torch.get_rng_state()
    leaf = X.clone().requires_grad_()
    node = build(begun, begun.given("x", leaf), begun.given("w", W, module=True))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = Shadow(begun.output).value(node)
    assert equal(found, expected)
    assert not isinstance(found, torch.Tensor) or not found.requires_grad
    assert torch.equal(leaf, before[0]) and torch.equal(W, before[1]) and torch.equal(torch.get_rng_state(), before[2])


@pytest.mark.parametrize("name", RECORDING)
@traced()
def test_what_records_gradients_is_left_out(begun: Begun, name: str) -> None:
    function, args = RECORDING[name]
    begun.graph.call_function(function, args)
    x = begun.given("x", X)
    assert equal(Shadow(begun.output).value(x), X)
    assert torch._C._is_fwd_grad_enabled()
    assert torch._C._autograd._saved_tensors_hooks_is_enabled()


@traced()
def test_attributes_of_the_graph(begun: Begun) -> None:
    layer = torch.nn.Linear(3, 3)
    begun.output.nn_modules.update(weight=W, part=torch.nn.Sequential(OrderedDict(layer=layer)))
    nodes = [begun.graph.get_attr("weight"), begun.graph.get_attr("part.layer.bias")]
    shadow = Shadow(begun.output)
    assert equal(shadow.value(nodes[0]), W) and shadow.value(nodes[0]) is not W
    assert equal(shadow.value(nodes[1]), layer.bias.detach())


@traced()
def test_an_operator_with_effects_is_not_run(begun: Begun) -> None:
    node = begun.graph.call_function(strange, (begun.given("x", X),))
    with pytest.raises(RuntimeError, match="^an operator that may have effects$"):
        Shadow(begun.output).value(node)


@traced()
def test_each_node_runs_once_and_none_behind_the_last(begun: Begun) -> None:
    x = begun.given("x", X)
    y = begun.call(torch.rand_like, x)
    begun.graph.call_function(strange, (y,))
    shadow = Shadow(begun.output)
    assert shadow.value(y) is shadow.value(y)


@traced()
def test_a_value_that_is_known(begun: Begun) -> None:
    x = begun.given("x", X)
    y = begun.call(torch.neg, x)
    shadow = Shadow(begun.output)
    shadow.note(x, W)
    assert equal(shadow.value(y), -W)


@traced()
def test_module_data_run_alone(begun: Begun) -> None:
    """What comes before and fails is not asked."""
    x, w = begun.given("x", X), begun.given("w", W, module=True)
    begun.graph.call_function(strange, (x,))
    assert equal(Shadow(begun.output).value(begun.call(torch.neg, w)), -W)


@traced()
def test_draws_go_on_from_the_state_of_the_call(begun: Begun) -> None:
    torch.manual_seed(3)
    x = begun.given("x", X)
    nodes = [begun.call(torch.rand_like, x) for _ in range(2)]
    shadow = Shadow(begun.output)
    torch.manual_seed(9)
    outside = torch.get_rng_state()
    found = [shadow.value(node) for node in nodes]
    assert torch.equal(torch.get_rng_state(), outside)
    torch.manual_seed(3)
    assert all(equal(value, torch.rand(3)) for value in found)


@pytest.mark.parametrize("given", [False, True])
@traced()
def test_draws_begin_where_they_are_told(begun: Begun, given: bool) -> None:
    x = begun.given("x", X)
    node = begun.call(torch.rand_like, x)
    shadow = Shadow(begun.output)
    torch.manual_seed(5)
    state = torch.get_rng_state()
    expected = torch.rand(3)
    if not given:
        torch.set_rng_state(state)
    shadow.set_generators(state if given else None)
    assert equal(shadow.value(node), expected)


@traced()
def test_autocast_blocks(begun: Begun) -> None:
    """A block that is open for the trace is open for the nodes in it, and for nothing else."""
    x = begun.given("x", X.reshape(1, 3))
    enter = begun.graph.call_function(torch_names._enter_autocast, ("cpu", torch.bfloat16, True, True))
    inside = [begun.graph.call_function(torch.matmul, (x, begun.graph.call_method("t", (x,)))) for _ in range(2)]
    shadow = Shadow(begun.output)
    for node in inside:
        assert shadow.value(node).dtype == torch.bfloat16
        assert not torch.is_autocast_enabled("cpu")
    begun.graph.call_function(torch_names._exit_autocast, (enter,))
    behind = begun.graph.call_function(torch.matmul, (x, begun.graph.call_method("t", (x,))))
    assert shadow.value(behind).dtype == torch.float32
    assert not torch.is_autocast_enabled("cpu") and not shadow.blocks


@traced()
def test_numbers(begun: Begun) -> None:
    x = begun.given("x", X)
    count, rows = begun.item(begun.call(torch.sum, begun.call(torch.gt, x, 0))), begun.call(torch.nonzero, x)
    pair = begun.call(torch.unique, x, return_inverse=True)
    shadow = Shadow(begun.output)
    assert shadow.number(begun.graph, symbol_of(count)) == 2
    assert shadow.number(begun.graph, rows.meta["example_value"].shape[0].node.expr) == 3
    assert shadow.number(begun.graph, pair.meta["example_value"][0].shape[0].node.expr) == 3
    assert shadow.number(begun.graph, "strange") is None
    assert path_speculation.source_of(begun.graph, symbol_of(count)) is count


# A node of a graph with an argument `x` and a parameter `w`, and the nodes behind it where all come from modules.
ORIGINS: dict[str, tuple[Build, Any]] = {
    "a parameter": (lambda g, x, w: w, ["w"]),
    "an argument": (lambda g, x, w: x, None),
    "of a parameter": (lambda g, x, w: g.call(torch.neg, g.call(torch.add, w, w)), ["w", "add", "neg"]),
    "of both": (lambda g, x, w: g.call(torch.add, w, x), None),
    "of nothing": (lambda g, x, w: g.call(torch.ones, 3), ["ones"]),
    "a draw": (lambda g, x, w: g.call(torch.rand_like, w), None),
    "of a draw": (lambda g, x, w: g.call(torch.neg, g.call(torch.rand_like, w)), None),
    "a write": (lambda g, x, w: g.method("add_", w, 1), None),
    "of what is written": (lambda g, x, w: (g.method("add_", w, 1), g.call(torch.neg, w))[1], None),
    "of what is written later": (lambda g, x, w: (g.call(torch.neg, w), g.method("add_", w, 1))[0], None),
    "an input of an inner graph": (lambda g, x, w: inner_input(g), None),
}


def inner_input(graph: Begun) -> Node:
    with graph.output.subtracer(None, None) as tracer:
        node: Node = tracer.create_graph_input("y", torch.Tensor, value_of(graph.call(torch.ones, 3))).node
    return node


def names_of(nodes: list[Node]) -> list[str]:
    """Functions of nodes by their names, and what modules hold by the names in the program."""
    sources = [node.meta["grapharg"].source if node.op == "placeholder" else None for node in nodes]
    return [
        source.member if source is not None else getattr(node.target, "__name__", node.target)
        for node, source in zip(nodes, sources)
    ]


@pytest.mark.parametrize("name", ORIGINS)
@traced()
def test_nodes_that_come_from_modules(begun: Begun, name: str) -> None:
    build, expected = ORIGINS[name]
    node = build(begun, begun.given("x", X), begun.given("w", W, module=True))
    for _ in range(2):
        found = nodes_from_modules(node)
        assert (found and names_of(found)) == expected
    assert nodes_from_modules(begun.call(torch.neg, node)) is None or expected is not None


@traced()
def test_nodes_of_many_ways_are_looked_at_once(begun: Begun) -> None:
    """A node may be reached on more ways than there is time for: they double with each step."""
    w = begun.given("w", W, module=True)
    nodes = [w]
    for _ in range(60):
        nodes.append(begun.call(torch.neg, nodes[-1]))
        nodes.append(begun.call(torch.add, *nodes[-2:]))
    assert nodes_from_modules(nodes[-1]) == nodes


@traced()
def test_a_write_takes_an_answer_back(begun: Begun) -> None:
    w = begun.given("w", W, module=True)
    y = begun.call(torch.neg, w)
    z = begun.call(torch.abs, y)
    assert nodes_from_modules(z) == [w, y, z]
    begun.call(torch.exp, y)
    assert nodes_from_modules(z) == [w, y, z]
    begun.method("add_", y, 1)
    assert nodes_from_modules(z) is None and nodes_from_modules(y) is None and nodes_from_modules(w) == [w]


@traced()
def test_answers(begun: Begun) -> None:
    x = begun.given("x", X)
    tests = [begun.call(torch.gt, begun.method("select", x, 0, place), 0) for place in range(3)]
    path = path_speculation.path_of(begun.trace, begun.output)
    assert [path.answer(node) for node in tests] == [True, False, True] == path.answers
    assert equal(path.tensor(tests[1]), torch.tensor(False))
    assert path_speculation.path_of(begun.trace, begun.output) is path
    assert path_speculation.shadow_of(begun.trace) is path.shadow is not None
    path_speculation.forget_path(begun.trace)
    assert path_speculation.shadow_of(begun.trace) is None
    assert path_speculation.path_of(begun.trace, begun.output) is not path


def test_another_graph_begins_another_path() -> None:
    trace = trace_state.Trace(True, frozenset())
    paths = [in_a_trace(lambda tx: path_speculation.path_of(trace, tx.output)) for _ in range(2)]
    assert paths[0] is not paths[1]


@traced()
def test_known_answers_come_first(begun: Begun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_state.local, "known", (False, False))
    x = begun.given("x", X)
    positive = begun.call(torch.gt, begun.method("select", x, 0, 0), 0)
    path = path_speculation.path_of(begun.trace, begun.output)
    assert [path.answer(positive) for _ in range(3)] == [False, False, True]


@traced()
def test_a_trace_ends_beside_the_path_of_its_variant(begun: Begun) -> None:
    x = begun.given("x", X)
    positive = begun.call(torch.gt, begun.method("select", x, 0, 0), 0)
    SPECULATION.of(begun.trace).variant = (True, False, True)
    path = path_speculation.path_of(begun.trace, begun.output)
    assert path.answer(positive)
    with pytest.raises(trace_state.SiteRefused, match="^the call takes another path$"):
        path.answer(positive)
    assert SPECULATION.of(begun.trace).left == (True, True)


@traced()
def test_a_path_may_go_on_behind_that_of_its_variant(begun: Begun) -> None:
    """The answers of the variant are all that it has asked."""
    x = begun.given("x", X)
    positive = begun.call(torch.gt, begun.method("select", x, 0, 0), 0)
    SPECULATION.of(begun.trace).variant = (True,)
    path = path_speculation.path_of(begun.trace, begun.output)
    assert path.answer(positive) and SPECULATION.of(begun.trace).left is None


@pytest.mark.parametrize("asked", ["answer", "number", "tensor"])
@traced()
def test_a_shadow_run_that_fails_is_the_last(begun: Begun, asked: str) -> None:
    x = begun.given("x", X)
    bad = begun.graph.call_function(strange, (x,))
    number = begun.graph.call_method("item", (bad,))
    number.meta["unbacked_bindings"] = {"u0": ()}
    good = begun.call(torch.gt, begun.method("sum", x), 0)
    path = Path(begun.output, ())
    ask = {
        "answer": lambda: path.answer(bad) is False,
        "number": lambda: path.number(begun.graph, "u0") is None,
        "tensor": lambda: path.tensor(bad) is None,
    }
    assert ask[asked]() and path.shadow is None
    assert path.answer(good) is False and path.tensor(x) is None and path.number(begun.graph, "u0") is None


@pytest.mark.parametrize("raises", [True, False])
@pytest.mark.parametrize("variant", [None, (), (True,), (False,), (True, True, False), (False, True, True)])
@traced()
def test_answers_behind_a_shadow_run_that_has_failed(begun: Begun, variant: Any, raises: bool) -> None:
    """Behind a guard that fails any answer will do: those of the variant make no further path."""
    SPECULATION.of(begun.trace).variant = variant
    path = path_speculation.path_of(begun.trace, begun.output)
    assert path.shadow is not None
    path.shadow.raises = raises
    path.give_up()
    for answer in (*(variant or ()), False, False):
        assert path.guess(begun.given("x", X)) is (raises and answer)
        path.answers.append(answer)


def test_paths_without_an_end() -> None:
    found = Speculation()
    assert not found.endless
    found.note_endless()
    assert found.endless
    assert operator.is_(found.path, None) and not found.foreign and not found.own
