"""Copies of tests in front of the function that makes them: which nodes are copied, and what the copies compute."""

from __future__ import annotations

import dataclasses
import functools
import types
from typing import Any, Callable, Optional

import pytest
import torch
from live_traces import Begun, in_a_trace
from marked_graphs import Written
from torch._dynamo.comptime import comptime
from torch.fx import GraphModule, Node

from graphmend.runtime.base import torch_names
from graphmend.runtime.base.marker_ops import event, key_of
from graphmend.runtime.base.torch_names import AutogradFunctionContextVariable
from graphmend.runtime.capture import hoisted_tests
from graphmend.runtime.capture.hoisted_tests import CHECKPOINT, FUNCTION, MAX_COPIED

Body = Callable[[Begun, Node, Node], Node]
Inner = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
X, W = torch.nn.Parameter(torch.tensor([2.0, -3.0, 0.5])), torch.tensor([1.0, 4.0, -2.0])
ROUND = torch.utils.checkpoint.checkpoint


def in_forward(inner: Inner, saved: Optional[tuple[int, ...]] = (0, 1), backward: bool = False) -> Inner:
    """The forward pass of an autograd function, or its backward pass with the tensors that it has saved."""

    class Step(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
            if saved is not None:
                ctx.save_for_backward(*[(x, w)[place] for place in saved])
            ctx.others = x, w
            return x * 2 if backward else inner(x, w)

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> tuple[Optional[torch.Tensor], ...]:
            return inner(*ctx.others) * grad if backward else grad, None

    return Step.apply  # type: ignore[no-any-return]


def in_backward(inner: Inner, saved: Optional[tuple[int, ...]] = (0, 1)) -> Inner:
    return in_forward(inner, saved, True)


def without_context(inner: Inner) -> Inner:
    """The backward pass of a function that has let go of its context."""

    def backward(ctx: Any, grad: torch.Tensor) -> tuple[Optional[torch.Tensor], ...]:
        x, w = ctx.saved_tensors
        del ctx
        return inner(x, w) * grad, None

    return with_backward(backward)


def of_another_name(inner: Inner) -> Inner:
    """The backward pass of a function, under a name that says nothing."""

    def reverse(ctx: Any, grad: torch.Tensor) -> tuple[Optional[torch.Tensor], ...]:
        return inner(*ctx.saved_tensors) * grad, None

    return with_backward(reverse)


def with_backward(function: Callable[..., Any]) -> Inner:
    class Step(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(x, w)
            return x * 2

        backward = staticmethod(function)

    return Step.apply  # type: ignore[no-any-return]


def in_checkpoint(inner: Inner) -> Inner:
    return lambda x, w: ROUND(inner, x, w, use_reentrant=False)  # type: ignore[no-any-return]


def in_branch(inner: Inner) -> Inner:
    return lambda x, w: torch.cond(x.sum() > 0, inner, torch.add, (x, w))  # type: ignore[no-any-return]


def inside(*around: Callable[[Inner], Inner]) -> Callable[[Any], Any]:
    """A program that asks inside of functions, checkpoints and branches, of which the first is the outermost one."""

    def program(ask: Callable[[Any], None]) -> Any:
        def asking(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
            comptime(ask)
            return x * w

        inner = functools.reduce(lambda inner, one: one(inner), reversed(around), asking)
        return lambda x: inner(X, x)

    return program


def argument(graph: Begun, name: str) -> Node:
    """What the inner graph has for an argument of the function that asks."""
    tracer, proxy = graph.output.current_tracer, graph.tx.symbolic_locals[name].as_proxy()
    if proxy.tracer is not tracer:
        proxy = tracer.lift_tracked_freevar_to_input(proxy)
    node: Node = proxy.node
    return node


def smallest(graph: Begun, value: Node) -> Node:
    return graph.method("min", value)


def with_row(graph: Begun, x: Node, step: Callable[[Node], Any]) -> Node:
    """The smallest number of a row of the body's own, behind a write to the row."""
    row = graph.call(torch.zeros, 3)
    step(row)
    return smallest(graph, graph.call(torch.add, row, x))


def in_block(graph: Begun, x: Node, w: Node) -> Node:
    block = graph.graph.call_function(torch_names._enter_autocast, ("cpu", torch.bfloat16, True, True))
    product = graph.call(torch.mul, x, w)
    graph.graph.call_function(torch_names._exit_autocast, (block,))
    return smallest(graph, product)


def behind_block(graph: Begun, x: Node, w: Node) -> Node:
    graph.graph.call_function(torch_names._enter_autocast, ("cpu", torch.bfloat16, True, True))
    return smallest(graph, x)


def chain(length: int) -> Body:
    """A test behind so many nodes, with itself and an input."""

    def build(graph: Begun, x: Node, w: Node) -> Node:
        for _ in range(length - 2):
            x = graph.call(torch.add, x, 0)
        return smallest(graph, x)

    return build


def unmarked(graph: Begun, x: Node, w: Node) -> Node:
    graph.graph.call_function(event, (key_of("m.py:1:0:GM301", 0), [x]))
    return smallest(graph, x)


def untraced(graph: Begun, x: Node, w: Node) -> Node:
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
LEVELS: dict[str, list[Callable[[Inner], Inner]]] = {
    "a function": [in_forward],
    "a checkpoint": [in_checkpoint],
    "both": [in_checkpoint, in_forward],
}


@pytest.mark.parametrize("levels", LEVELS)
@pytest.mark.parametrize("name", BODIES)
def test_what_is_copied(name: str, levels: str) -> None:
    build, expected = BODIES[name]

    def body(tx: Any) -> None:
        graph = Begun(tx)
        tracer, around = tx.output.current_tracer, outermost(tx)
        outer, inputs = around.graph, [argument(graph, "x"), argument(graph, "w")]
        before = list(outer.nodes)
        test = build(graph, *inputs)
        copy = hoisted_tests.hoisted(tx, test)
        if not expected:
            assert copy is None and list(outer.nodes) == before
            return
        assert copy is not None and copy.graph is outer
        outer.output(copy)
        graph.graph.output(test)
        copied, made = (GraphModule({}, graph) for graph in (outer, graph.graph))
        # A row of the body's own is made anew; what an input is given stays.
        assert torch.equal(copied(*values_of(around)), made(*values_of(tracer)))
        assert not copied(*values_of(around)).requires_grad
        assert not test.meta["example_value"].requires_grad or copy.meta is not test.meta

    in_a_trace(body, inside(*LEVELS[levels]))


def outermost(tx: Any) -> Any:
    tracer = tx.output.current_tracer
    while tracer.parent is not None:
        tracer = tracer.parent
    return tracer


def values_of(tracer: Any) -> list[torch.Tensor]:
    """What the inputs of a graph stand for."""
    found = []
    for node in tracer.graph.find_nodes(op="placeholder"):
        given = outer_node(tracer, node).meta["grapharg"].example
        found.append(given.detach().clone().requires_grad_(given.requires_grad))
    return found


def outer_node(tracer: Any, node: Node) -> Node:
    """The input of the outermost graph that an input of an inner one stands for."""
    while tracer.parent is not None:
        if node.graph is tracer.graph:
            node = next(outer.node for outer, inner in tracer.lifted_freevars.items() if inner.node is node)
        tracer = tracer.parent
    return node


def test_what_stands_behind_the_test_is_not_copied() -> None:
    def body(tx: Any) -> None:
        graph, outer = Begun(tx), outermost(tx).graph
        x, w = argument(graph, "x"), argument(graph, "w")
        test, before = smallest(graph, x), len(outer.nodes)
        graph.call(torch.mul, x, w)
        hoisted_tests.hoisted(tx, test)
        assert [node.target for node in outer.nodes][before:] == ["detach", "min"]

    in_a_trace(body, inside(in_forward))


def test_an_input_that_stands_for_nothing_is_not_copied() -> None:
    def body(tx: Any) -> None:
        graph = Begun(tx)
        strange = graph.keep(graph.graph.placeholder("strange"), argument(graph, "x").meta["example_value"])
        assert hoisted_tests.hoisted(tx, smallest(graph, strange)) is None

    in_a_trace(body, inside(in_forward))


def test_an_input_without_its_history() -> None:
    graph = Written()
    x, number = graph.input("x", grad=True), graph.graph.placeholder("number")
    number.meta["example_value"] = 3
    node = hoisted_tests.entry(graph.graph, x)
    assert node.target == "detach" and node.args == (x,)
    assert not node.meta["example_value"].requires_grad and node.meta["example_value"].shape == (3,)
    assert hoisted_tests.entry(graph.graph, number) is number


# The graphs around a statement, the outermost one first, and whether it is inside, and in a forward pass.
PLACES: dict[str, tuple[list[Callable[[Inner], Inner]], bool, bool]] = {
    "none": ([], False, False),
    "a function": ([in_forward], True, True),
    "a backward pass": ([in_backward], True, False),
    "a checkpoint": ([in_checkpoint], True, False),
    "a branch": ([in_branch], False, False),
    "a function in a checkpoint": ([in_checkpoint, in_forward], True, False),
    "a checkpoint in a function": ([in_forward, in_checkpoint], True, False),
    "a checkpoint in a branch": ([in_branch, in_checkpoint], False, False),
    "a branch in a function": ([in_forward, in_branch], False, False),
}


@pytest.mark.parametrize("name", PLACES)
def test_places(name: str) -> None:
    around, inside_of, forward = PLACES[name]

    def body(tx: Any) -> None:
        tracer = tx.output.current_tracer
        assert hoisted_tests.is_inside(tracer) is inside_of
        assert bool(hoisted_tests.is_in_forward(tracer)) is forward

    in_a_trace(body, inside(*around))


@pytest.mark.parametrize("saved", [(), (0,), (1,), (0, 1), None], ids=str)
@pytest.mark.parametrize("used", [(), (0,), (0, 1)], ids=str)
def test_a_backward_pass_reads_what_is_saved(saved: Optional[tuple[int, ...]], used: tuple[int, ...]) -> None:
    def body(tx: Any) -> None:
        graph = Begun(tx)
        node = graph.call(torch.ones, 3)
        for place in used:
            node = graph.call(torch.add, node, argument(graph, "xw"[place]))
        copy = hoisted_tests.hoisted(tx, node)
        assert (copy is not None) is (set(used) <= set(saved or ()))
        assert copy is None or copy.graph is outermost(tx).graph

    in_a_trace(body, inside(functools.partial(in_backward, saved=saved)))


# What stands around a statement, the outermost one first; the passes of the functions, the innermost one first; and
# whether the graph of a backward pass is among the graphs: None where that is not clear.
AROUND: dict[str, tuple[list[Callable[[Inner], Inner]], list[str], Optional[bool]]] = {
    "no function": ([], [], False),
    "a forward pass": ([in_forward], ["forward"], False),
    "a forward pass in a forward pass": ([in_forward, in_forward], ["forward"] * 2, False),
    "a backward pass": ([in_backward], ["backward"], True),
    "a forward pass in a backward pass": ([in_backward, in_forward], ["forward", "backward"], True),
    "a checkpoint in a backward pass": ([in_backward, in_checkpoint], ["backward"], True),
    "a backward pass in a checkpoint": ([in_checkpoint, in_backward], ["backward"], True),
    "a context that is gone": ([without_context], [], None),
    "a backward pass of another name": ([of_another_name], ["reverse"], None),
}


@pytest.mark.parametrize("name", AROUND)
def test_backward_passes(name: str) -> None:
    around, names, expected = AROUND[name]

    def body(tx: Any) -> None:
        contexts, found = hoisted_tests.contexts(tx), hoisted_tests.backward_passes(tx)
        assert [pair[0] for pair in contexts] == names
        if expected is None:
            assert found is None
            return
        assert found is not None and list(found.values()) == [made for part, made in contexts if part == "backward"]
        for tracer in found:
            assert (tracer.source_target, tracer.parent.source_target) == (FUNCTION, FUNCTION)

    in_a_trace(body, inside(*around))


@dataclasses.dataclass(eq=False)
class Tracer:
    """The graph of a function as a version of Dynamo may make it that gives each pass a graph."""

    parent: Optional[Tracer] = None
    source_target: Any = None


def nested(*targets: Any) -> list[Tracer]:
    """Graphs inside graphs, the outermost one first."""
    tracers = [Tracer()]
    for target in targets:
        tracers.append(Tracer(tracers[-1], target))
    return tracers


def frame_of(name: str, *variables: Any, parent: Any = None) -> Any:
    code = types.SimpleNamespace(co_name=name)
    return types.SimpleNamespace(f_code=code, symbolic_locals=dict(enumerate(variables)), parent=parent)


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
    contexts = [object.__new__(AutogradFunctionContextVariable) for _ in names]
    frame = frame_of("f", 1, "text")
    for part, made in zip(reversed(names), reversed(contexts)):
        frame = frame_of("helper", made, parent=frame_of(part, made, parent=frame))
    frame.output = types.SimpleNamespace(current_tracer=tracers[-1])
    found = hoisted_tests.backward_passes(frame)
    assert [pair[0] for pair in hoisted_tests.contexts(frame)] == names
    if expected == "none":
        assert found is None
    else:
        assert found is not None and len(found) == len(expected)
        backward_contexts = [made for part, made in zip(names, contexts) if part == "backward"]
        assert sorted(map(id, found.values())) == sorted(map(id, backward_contexts))
        assert all(tracer in functions for tracer in found)


def test_nodes_at_the_top() -> None:
    def body(tx: Any) -> None:
        before = list(tx.output.tracers)
        with pytest.raises(KeyError), hoisted_tests.at_top(tx.output):
            assert tx.output.tracers == before[:1] and tx.output.current_tracer is outermost(tx)
            raise KeyError
        assert tx.output.tracers == before and len(before) == 3

    in_a_trace(body, inside(in_checkpoint, in_forward))
