"""Copies of tests in front of the function that makes them: which nodes are copied, and what the copies compute."""

from __future__ import annotations

import dataclasses
import types
from typing import Any, Callable, Optional

import pytest
import torch
from marked_graphs import Written
from torch.fx import GraphModule, Node, Proxy

from graphmend.runtime.base import torch_names
from graphmend.runtime.base.marker_ops import event, key_of
from graphmend.runtime.base.torch_names import AutogradFunctionContextVariable
from graphmend.runtime.capture import hoisted_tests
from graphmend.runtime.capture.hoisted_tests import CHECKPOINT, FUNCTION, MAX_COPIED


@dataclasses.dataclass(eq=False)
class Tracer:
    """A graph in the making, inside of another: the inputs stand for values of the graph around."""

    parent: Optional[Tracer] = None
    source_target: Any = None
    written: Written = dataclasses.field(default_factory=Written)
    lifted_freevars: dict[Any, Any] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.parent is not None:
            self.written.mode, self.written.shapes = self.parent.written.mode, self.parent.written.shapes

    @property
    def graph(self) -> Any:
        return self.written.graph

    def lift(self, proxy: Any) -> Any:
        """An input for a value of the graph around."""
        known = proxy.node.meta["example_value"]
        node = self.written.keep(self.graph.placeholder(proxy.node.name), known)
        self.lifted_freevars[proxy] = Proxy(node)
        return self.lifted_freevars[proxy]


Body = Callable[[Written, Node, Node], Node]


def nested(*targets: Any) -> list[Tracer]:
    """Graphs inside graphs, the outermost one first, each with inputs `x` and `w`, and a row of numbers of its own."""
    outer = Tracer()
    proxies = [Proxy(outer.written.input("x", grad=True)), Proxy(outer.written.input("w"))]
    tracers = [outer]
    for target in targets:
        tracers.append(Tracer(tracers[-1], target))
        proxies = [tracers[-1].lift(proxy) for proxy in proxies]
    return tracers


def inputs_of(tracer: Tracer) -> list[Node]:
    return [node for node in tracer.graph.nodes if node.op == "placeholder"]


def state(tracer: Tracer, frame: Any = None) -> Any:
    """What Dynamo hands over: the graphs, and the frames with their variables."""
    frame = frame or frame_of("f")
    frame.output = types.SimpleNamespace(current_tracer=tracer)
    return frame


def frame_of(name: str, *variables: Any, parent: Any = None) -> Any:
    code = types.SimpleNamespace(co_name=name)
    return types.SimpleNamespace(f_code=code, symbolic_locals=dict(enumerate(variables)), parent=parent)


def smallest(graph: Written, value: Node) -> Node:
    return graph.method("min", value)


def with_row(graph: Written, x: Node, step: Callable[[Node], Any]) -> Node:
    """The smallest number of a row of the body's own, behind a write to the row."""
    row = graph.call(torch.zeros, 3)
    step(row)
    return smallest(graph, graph.call(torch.add, row, x))


def in_block(graph: Written, x: Node, w: Node) -> Node:
    block = graph.graph.call_function(torch_names._enter_autocast, ("cpu", torch.bfloat16, True, True))
    product = graph.call(torch.mul, x, w)
    graph.graph.call_function(torch_names._exit_autocast, (block,))
    return smallest(graph, product)


def behind_block(graph: Written, x: Node, w: Node) -> Node:
    graph.graph.call_function(torch_names._enter_autocast, ("cpu", torch.bfloat16, True, True))
    return smallest(graph, x)


def chain(length: int) -> Body:
    """A test behind so many nodes, with itself and an input."""

    def build(graph: Written, x: Node, w: Node) -> Node:
        for _ in range(length - 2):
            x = graph.call(torch.add, x, 0)
        return smallest(graph, x)

    return build


def unmarked(graph: Written, x: Node, w: Node) -> Node:
    graph.graph.call_function(event, (key_of("m.py:1:0:GM301", 0), [x]))
    return smallest(graph, x)


def untraced(graph: Written, x: Node, w: Node) -> Node:
    node = graph.call(torch.mul, x, w)
    del node.meta["example_value"]
    return graph.keep(graph.graph.call_method("min", (node,)), x.meta["example_value"])


# A test in the body of a function of two tensors, and whether it can be made in front of the function.
BODIES: dict[str, tuple[Body, bool]] = {
    "a product": (lambda g, x, w: smallest(g, g.call(torch.mul, x, w)), True),
    "of one input": (lambda g, x, w: smallest(g, x), True),
    "an input": (lambda g, x, w: w, True),
    "of no input": (lambda g, x, w: smallest(g, g.call(torch.ones, 3)), True),
    "behind other nodes": (lambda g, x, w: (g.call(torch.rand_like, x), smallest(g, x))[1], True),
    "a draw": (lambda g, x, w: smallest(g, g.call(torch.rand_like, x)), False),
    "of a draw": (lambda g, x, w: smallest(g, g.call(torch.add, g.call(torch.rand_like, x), 1)), False),
    "a row that is written": (lambda g, x, w: with_row(g, x, lambda row: g.method("add_", row, w)), True),
    "a view that is written": (
        lambda g, x, w: with_row(g, x, lambda row: g.method("sub_", g.method("view", row, 3, 1), 1)),
        True,
    ),
    "another row that is written": (lambda g, x, w: with_row(g, x, lambda row: g.call(torch.zeros, 3)), True),
    "a row that a draw fills": (lambda g, x, w: with_row(g, x, lambda row: g.method("normal_", row)), False),
    "an input that is written": (lambda g, x, w: (g.method("add_", w, 1), smallest(g, w))[1], False),
    "a view of an input that is written": (
        lambda g, x, w: (g.method("add_", g.method("view", w, 3), 1), smallest(g, w))[1],
        False,
    ),
    "an input beside one that is written": (lambda g, x, w: (g.method("add_", w, 1), smallest(g, x))[1], True),
    "a new number of rows": (lambda g, x, w: smallest(g, g.call(torch.nonzero, w)), False),
    "a number": (lambda g, x, w: g.method("item", g.method("sum", w)), False),
    "in a block": (in_block, False),
    "beside a block": (behind_block, False),
    "beside a marker": (unmarked, True),
    "a node without a value": (untraced, False),
    "a module": (lambda g, x, w: g.keep(g.graph.call_module("layer", (x,)), x.meta["example_value"]), False),
    "many nodes": (chain(MAX_COPIED), True),
    "too many nodes": (chain(MAX_COPIED + 1), False),
}
LEVELS = {"a function": [FUNCTION], "a checkpoint": [CHECKPOINT], "both": [CHECKPOINT, FUNCTION]}


@pytest.mark.parametrize("levels", LEVELS)
@pytest.mark.parametrize("name", BODIES)
def test_what_is_copied(name: str, levels: str) -> None:
    build, expected = BODIES[name]
    *around, tracer = nested(*LEVELS[levels])
    outer = around[0].graph
    before = list(outer.nodes)
    test = build(tracer.written, *inputs_of(tracer))
    copy = hoisted_tests.hoisted(state(tracer), test)
    if not expected:
        assert copy is None and list(outer.nodes) == before
        return
    assert copy is not None and copy.graph is outer
    values = torch.tensor([2.0, -3.0, 0.5]), torch.tensor([1.0, 4.0, -2.0])
    outer.output(copy)
    tracer.graph.output(test)
    copied, made = (GraphModule({}, graph) for graph in (outer, tracer.graph))
    # A row of the body's own is made anew; what an input is given stays.
    assert torch.equal(copied(*(value.clone() for value in values)), made(*(value.clone() for value in values)))
    assert not copied(values[0].requires_grad_(), values[1]).requires_grad
    assert not test.meta["example_value"].requires_grad or copy.meta is not test.meta


def test_what_stands_behind_the_test_is_not_copied() -> None:
    outer, tracer = nested(FUNCTION)
    x, w = inputs_of(tracer)
    test = smallest(tracer.written, x)
    tracer.written.call(torch.mul, x, w)
    hoisted_tests.hoisted(state(tracer), test)
    assert [node.target for node in outer.graph.nodes] == ["x", "w", "detach", "min"]


def test_an_input_that_stands_for_nothing_is_not_copied() -> None:
    _, tracer = nested(FUNCTION)
    strange = tracer.written.input("strange")
    assert hoisted_tests.hoisted(state(tracer), smallest(tracer.written, strange)) is None


def test_an_input_without_its_history() -> None:
    graph = Written()
    x, number = graph.input("x", grad=True), graph.graph.placeholder("number")
    number.meta["example_value"] = 3
    node = hoisted_tests.entry(graph.graph, x)
    assert node.target == "detach" and node.args == (x,)
    assert not node.meta["example_value"].requires_grad and node.meta["example_value"].shape == (3,)
    assert hoisted_tests.entry(graph.graph, number) is number


# The kinds of graphs around a statement, the outermost one first, and whether it is inside, and in a forward pass.
PLACES: dict[str, tuple[list[Any], bool, bool]] = {
    "none": ([], False, False),
    "a function": ([FUNCTION], True, True),
    "a checkpoint": ([CHECKPOINT], True, False),
    "a loop": (["while_loop"], False, False),
    "a function in a function": ([FUNCTION, FUNCTION], True, False),
    "a function in a checkpoint": ([CHECKPOINT, FUNCTION], True, False),
    "a function in a loop": (["while_loop", FUNCTION], False, False),
    "a loop in a function": ([FUNCTION, "while_loop"], False, False),
}


@pytest.mark.parametrize("name", PLACES)
def test_places(name: str) -> None:
    targets, inside, forward = PLACES[name]
    tracer = nested(*targets)[-1]
    assert hoisted_tests.is_inside(tracer) is inside
    assert bool(hoisted_tests.is_in_forward(tracer)) is forward


def context(*saved: Any, none: bool = False) -> Any:
    """Dynamo's variable for the context of a function that has saved these tensors."""
    made: Any = object.__new__(AutogradFunctionContextVariable)
    tensors = [types.SimpleNamespace(as_proxy=lambda one=one: one, is_tensor=lambda: True) for one in saved]
    tensors.append(types.SimpleNamespace(as_proxy=None, is_tensor=lambda: False))
    made.saved_tensors = None if none else types.SimpleNamespace(tensors=tensors)
    return made


def backward(saved: list[int], none: bool = False) -> tuple[Tracer, Tracer, Any]:
    """A backward pass that reads the inputs of its forward pass, of which some are saved."""
    outer, forward = nested(FUNCTION)
    proxies = [Proxy(node) for node in inputs_of(forward)]
    lifted = list(forward.lifted_freevars.values())
    tracer = Tracer(forward, FUNCTION)
    for proxy in lifted:
        tracer.lift(proxy)
    assert [proxy.node for proxy in proxies] == [proxy.node for proxy in lifted]
    frame = frame_of("backward", context(*(lifted[place] for place in saved), none=none), parent=frame_of("f", 1))
    return outer, tracer, state(tracer, frame)


@pytest.mark.parametrize("saved", [[], [0], [1], [0, 1], None], ids=str)
@pytest.mark.parametrize("used", [[], [0], [0, 1]], ids=str)
def test_a_backward_pass_reads_what_is_saved(saved: Optional[list[int]], used: list[int]) -> None:
    outer, tracer, tx = backward(saved or [], saved is None)
    node = tracer.written.call(torch.ones, 3)
    for place in used:
        node = tracer.written.call(torch.add, node, inputs_of(tracer)[place])
    copy = hoisted_tests.hoisted(tx, node)
    assert (copy is not None) is (set(used) <= set(saved or []))
    assert copy is None or copy.graph is outer.graph


def test_a_saved_tensor_of_the_graph_around() -> None:
    """The function has saved a tensor under its name in the graph around."""
    outer, forward = nested(FUNCTION)
    proxy = next(iter(forward.lifted_freevars))
    assert hoisted_tests.saved(context(proxy), forward) == {forward.lifted_freevars[proxy]}
    strange = Proxy(outer.written.input("strange"))
    assert hoisted_tests.saved(context(strange), forward) == {strange}


# The functions around a statement by the names of their passes, the innermost one first; how many graphs of functions
# there are; and the passes whose graph is known: "none" where it is not clear.
PASSES: dict[str, tuple[list[str], int, Any]] = {
    "a forward pass": (["forward"], 1, []),
    "no function": ([], 0, []),
    "a backward pass": (["backward"], 2, [0]),
    "a forward pass in a forward pass": (["forward", "forward"], 2, []),
    "a forward pass in a backward pass": (["forward", "backward"], 3, [0]),
    "a forward pass without a graph in a backward pass": (["forward", "backward"], 2, [0]),
    "a backward pass in a forward pass": (["backward", "forward"], 3, [1]),
    "a backward pass and a graph more": (["backward"], 3, "none"),
    "a forward pass and a graph more": (["forward"], 2, []),
    "one graph of a backward pass": (["backward", "forward"], 2, "none"),
    "a backward pass in a backward pass": (["backward", "backward"], 4, [0, 2]),
    "three forward passes": (["forward"] * 3, 3, []),
    "a function of another name": (["setup_context"], 2, "none"),
    "more graphs than functions": (["forward"], 3, "none"),
    "no functions for two graphs": ([], 2, "none"),
}


@pytest.mark.parametrize("name", PASSES)
@pytest.mark.parametrize("checkpoint", [False, True])
def test_passes(name: str, checkpoint: bool) -> None:
    names, count, expected = PASSES[name]
    tracers = nested(*([CHECKPOINT] if checkpoint else []), *([FUNCTION] * count))
    functions = [tracer for tracer in tracers if tracer.source_target == FUNCTION]
    contexts = [context() for _ in names]
    frame = frame_of("f", 1, "text")
    for part, made in zip(reversed(names), reversed(contexts)):
        frame = frame_of("helper", made, parent=frame_of(part, made, parent=frame))
    found = hoisted_tests.backward_passes(state(tracers[-1], frame))
    assert [pair[0] for pair in hoisted_tests.contexts(frame)] == names
    if expected == "none":
        assert found is None
    else:
        assert found is not None and len(found) == len(expected)
        backward_contexts = [made for part, made in zip(names, contexts) if part == "backward"]
        assert sorted(map(id, found.values())) == sorted(map(id, backward_contexts))
        assert all(tracer in functions for tracer in found)


def test_nodes_at_the_top() -> None:
    output = types.SimpleNamespace(tracers=[1, 2, 3])
    with pytest.raises(KeyError), hoisted_tests.at_top(output):
        assert output.tracers == [1]
        raise KeyError
    assert output.tracers == [1, 2, 3]
