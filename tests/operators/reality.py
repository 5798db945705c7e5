"""What a call really does, beside what the facts of the runtime say of its nodes."""

from __future__ import annotations

import ast
import dataclasses
import operator
from typing import Any, Optional

import torch
import torch.fx
from forms import GLOBALS, Form, quiet
from torch._subclasses.fake_tensor import FakeTensorMode

from graphmend.runtime.analysis import node_facts


@dataclasses.dataclass(frozen=True)
class Doing:
    """Whether a call draws random numbers, and which of its inputs it writes to."""

    draws: bool
    writes: frozenset[int]


def same(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether a tensor is as it was."""
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    return torch.allclose(one, other, rtol=0, atol=0, equal_nan=True)


def really(form: Form) -> Doing:
    """What the call does in eager Python, found by making it."""
    torch.manual_seed(3)
    inputs, before = form.tensors(), form.tensors()
    state = torch.get_rng_state()
    with quiet():
        form.call(inputs)
    drawn = not torch.equal(state, torch.get_rng_state())
    changed = (place for place, pair in enumerate(zip(inputs, before)) if not same(*pair))
    return Doing(drawn, frozenset(changed))


def add_call(graph: torch.fx.Graph, text: str) -> None:
    """Add a call that has no tensors to a graph; tracing would make it."""
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)
    function, *args = (eval(ast.unparse(part), dict(GLOBALS)) for part in [call.func, *call.args])
    kwargs = {str(item.arg): eval(ast.unparse(item.value), dict(GLOBALS)) for item in call.keywords}
    graph.call_function(function, tuple(args), kwargs)


def told(form: Form) -> Optional[Doing]:
    """What the facts say of the nodes that the call becomes; None where there is no graph of it."""
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    graph = torch.fx.Graph(tracer_cls=torch.fx.Tracer)
    tracer = torch.fx.Tracer()
    tracer.graph, tracer.root, tracer.module_stack = graph, torch.nn.Module(), {}  # type: ignore[assignment]
    names: dict[str, Any] = dict(GLOBALS)
    for place, value in enumerate(form.tensors()):
        node = graph.placeholder(f"a{place}")
        node.meta["example_value"] = mode.from_tensor(value)
        names[f"a{place}"] = torch.fx.Proxy(node, tracer)
    given = list(graph.nodes)
    try:
        with quiet():
            exec(form.setup, names)
            if not form.specs:
                add_call(graph, form.text)
            else:
                eval(form.text, names)
    except Exception:  # looks at a value
        return None
    drawn, written = False, set()
    for node in graph.nodes:
        if node.op == "placeholder":
            continue
        args, kwargs = torch.fx.map_arg((node.args, node.kwargs), lambda source: source.meta["example_value"])
        try:
            with mode, quiet():
                function = operator.attrgetter(str(node.target))(args[0]) if node.op == "call_method" else node.target
                node.meta["example_value"] = function(*(args[1:] if node.op == "call_method" else args), **kwargs)
        except Exception:  # no such thing for fake tensors
            return None
        facts = node_facts.facts_of(node)
        drawn = drawn or facts.draws
        written |= node_facts.writes_of(node)
    memory = [node_facts.storage_of(node.meta["example_value"]) for node in given]
    return Doing(drawn, frozenset(place for place, own in enumerate(memory) if own in written))
