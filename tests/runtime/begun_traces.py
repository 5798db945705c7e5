"""Graphs in the middle of a trace: they have the inputs of the call, so the runtime can foretell what they compute."""

from __future__ import annotations

import types
from typing import Any

import torch
from marked_graphs import Written
from torch._dynamo.source import AttrSource, LocalSource, UnspecializedNNModuleSource
from torch.fx import Node

from graphmend.runtime.base.trace_state import Trace


class Begun(Written):
    """A graph with inputs from a call, and what Dynamo holds beside it."""

    def __init__(self) -> None:
        super().__init__()
        self.trace = Trace(True, frozenset())
        self.output: Any = types.SimpleNamespace(
            graph=self.graph, shape_env=self.shapes, current_tracer=types.SimpleNamespace(parent=None), nn_modules={}
        )

    def given(self, name: str, value: Any, module: bool = False, as_tensor: bool = False, fake: Any = None) -> Node:
        """An input of the graph: an argument of the call, or an attribute of a module of the program."""
        source: Any = LocalSource(name)
        if module:
            source = AttrSource(UnspecializedNNModuleSource(LocalSource("self")), name)
        node = self.graph.placeholder(name)
        example = value if fake is None else fake
        node.meta["grapharg"] = types.SimpleNamespace(example=value, source=source, pass_arg_as_tensor=as_tensor)
        if isinstance(example, torch.Tensor):
            example = self.mode.from_tensor(example, static_shapes=True)
        return self.keep(node, example)

    def item(self, tensor: Node) -> Node:
        """The number in a tensor, as a symbol."""
        return self.method("item", tensor)


def symbol_of(node: Node) -> Any:
    """The symbol that a number is."""
    return node.meta["example_value"].node.expr
