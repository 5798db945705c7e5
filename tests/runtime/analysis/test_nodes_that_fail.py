"""Which nodes of a traced graph may still raise at run time, held against eager torch on numbers that are hard."""

from __future__ import annotations

import contextlib
import math
from typing import Any

import pytest
import torch
from harness import compare, load

from graphmend.runtime.analysis import branch_proofs

# What never raises for tensors of these kinds: a float matrix `x`, integers `n`, truths `m`.
TOTAL = [
    *("x + 1", "x @ x", "torch.mm(x, x)", "torch.addmm(x[0], x, x)", "torch.bmm(x[None], x[None])", "x.mv(x[0])"),
    *("torch.nn.functional.linear(x, x)", "torch.dot(x[0], x[1])", "x.sum()", "x.softmax(0)", "x / 0", "x.log()"),
    *("x % 0", "x ** -1", "n + n", "n * n", "torch.where(m, x, 0)", "x.masked_fill(m, 1)", "x.cumsum(0)"),
    *("x.topk(1)[0]", "x.sort(0)[1]", "x.max(0)[0]", "x.to(torch.int64)", "n.float()", "n & n", "~m", "x.T", "x[0]"),
    *("x.reshape(-1)", "torch.cat([x, x])", "x.chunk(2)[1]", "x.argmax()", "x.clamp(0, 1)", "n.bool()", "x.isnan()"),
]
# What raises for some of them, or draws.
FAILING = [
    *("torch.linalg.inv(x)", "torch.linalg.cholesky(x)", "n // n", "n % n", "torch.gather(x, 0, n)", "x[n[0]]"),
    *("torch.nn.functional.embedding(n, x)", "x.index_select(0, n[0])", "torch.take(x, n)", "x.scatter(0, n, x)"),
    *("torch.nn.functional.one_hot(n, 9)", "torch.linalg.solve(x, x)", "x.index_add(0, n[0], x)"),
]
DRAWING = ["torch.rand_like(x)", "torch.bernoulli(m.float())", "torch.nn.functional.dropout(x)", "x.clone().normal_()"]
HARD = [0.0, -1.0, 2.0, 1e9, math.inf, math.nan]


def values_of(number: float) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    whole = int(number) if math.isfinite(number) else 0
    return torch.full((2, 2), number), torch.full((2, 2), whole), torch.full((2, 2), whole != 0)


def graph_of(text: str) -> torch.fx.GraphModule:
    """The graph of an expression."""
    graphs: list[torch.fx.GraphModule] = []

    def keep(module: torch.fx.GraphModule, inputs: Any) -> Any:
        graphs.append(module)
        return module.forward

    space: dict[str, Any] = {"torch": torch}
    exec(f"def f(x, n, m):\n    return {text}\n", space)
    with contextlib.suppress(RuntimeError):  # of these numbers
        torch.compile(space["f"], backend=keep, fullgraph=True, dynamic=False)(*values_of(1.0))
    (graph,) = graphs
    return graph


def failing(text: str) -> bool:
    return any(branch_proofs.fails(node) for node in graph_of(text).graph.nodes)


def raises(text: str) -> bool:
    """Whether eager torch raises for some numbers."""
    for number in HARD:
        x, n, m = values_of(number)
        try:
            eval(text, {"torch": torch, "x": x, "n": n, "m": m})
        except (RuntimeError, IndexError, ValueError):
            return True
    return False


@pytest.mark.parametrize("text", TOTAL)
def test_what_never_raises(text: str) -> None:
    assert not failing(text) and not raises(text)


@pytest.mark.parametrize("text", FAILING)
def test_what_may_raise(text: str) -> None:
    assert failing(text) and raises(text)


PROGRAM = """
import torch

def f(x, n, m, c):
    if c.sum() > 0:
        y = {text}
    else:
        y = torch.zeros({shape}, dtype={dtype})
    return y * 2
"""


@pytest.mark.parametrize("text", FAILING)
def test_a_side_that_may_raise(tmp_path: Any, text: str) -> None:
    """The side that is not taken raises for no numbers; the side that is taken raises what eager torch raises."""
    good = torch.eye(2), torch.ones(2, 2, dtype=torch.long), torch.ones(2, 2, dtype=torch.bool)
    made = eval(text, {"torch": torch, **dict(zip("xnm", good))})
    bad = values_of(-1.0)[0], torch.tensor([[0, 9], [9, 0]]), good[2]
    calls = [lambda values=values, c=c: (*values, torch.tensor([c])) for values in (good, bad) for c in (1.0, -1.0)]
    program = PROGRAM.format(text=text, shape=tuple(made.shape), dtype=made.dtype)
    compare(load(tmp_path, program), [*calls, *calls[:2]], grad=False, rounds=6)


@pytest.mark.parametrize("text", DRAWING)
def test_what_draws(text: str) -> None:
    """An error in front of later draws would be seen by them."""
    assert failing(text)


def test_nodes_without_a_trace() -> None:
    """A node of the runtime has no traced value; a node that calls what is unknown may do anything."""
    graph = graph_of("torch.linalg.inv(x)").graph
    node = next(node for node in graph.nodes if node.op == "call_function")
    assert branch_proofs.fails(node)
    module = graph_of("x @ x").graph
    product = next(node for node in module.nodes if node.op.startswith("call"))
    product.op, product.target = "call_module", "unknown"
    assert branch_proofs.fails(product)
    del node.meta["example_value"]
    assert not branch_proofs.fails(node)
