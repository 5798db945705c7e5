"""Tests in the middle of a trace: Dynamo traces a call, and hands its translator to the test before it goes on."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, TypeVar

import pytest
import torch
from marked_graphs import Written
from torch._dynamo.comptime import comptime
from torch._dynamo.source import AttrSource, LocalSource, UnspecializedNNModuleSource
from torch._dynamo.variables.builder import VariableBuilder
from torch.fx import Node, Proxy

from graphmend import runtime
from graphmend.runtime.base import trace_state
from graphmend.runtime.base.trace_state import Trace

Result = TypeVar("Result")
NUMBERS = torch._dynamo.config.patch(capture_scalar_outputs=True, capture_dynamic_output_shape_ops=True)


class Begun(Written):
    """The graph of a live trace, with what Dynamo holds beside it: `tx` translates the traced frame."""

    def __init__(self, tx: Any) -> None:
        self.tx, self.output = tx, tx.output
        self.shapes, self.graph, self.mode = self.output.shape_env, self.output.graph, self.output.fake_mode
        self.sites = 0
        self.trace = Trace(True, frozenset())

    def variable(self, name: str, value: Any, module: bool = False) -> Any:
        """Dynamo's variable for an argument of the call, or for an attribute of a module of the program."""
        source: Any = LocalSource(name)
        if module:
            source = AttrSource(UnspecializedNNModuleSource(LocalSource("self")), name)
        return VariableBuilder(self.tx, source)(value).realize()

    def given(self, name: str, value: Any, module: bool = False) -> Node:
        """An input of the graph."""
        node: Node = self.variable(name, value, module).as_proxy().node
        return node

    def item(self, tensor: Node) -> Node:
        """The number in a tensor, as a symbol."""
        return self.method("item", tensor)

    def proxy(self, node: Node) -> Proxy:
        """What Dynamo holds of a node."""
        return Proxy(node, self.output.current_tracer)


class Stopped(BaseException):
    """Ends the trace behind the test: what the test has written into the graph is not compiled."""


def plainly(ask: Callable[[Any], None]) -> Any:
    """A program that asks in its only frame."""

    def program(x: torch.Tensor) -> torch.Tensor:
        comptime(ask)
        return x + 1

    return program


def in_a_trace(body: Callable[[Any], Result], program: Callable[[Any], Any] = plainly) -> Result:
    """What `body` gives for the translator of a live trace of a program."""
    found: list[Result] = []
    failed: list[BaseException] = []

    def ask(context: Any) -> None:
        try:
            found.append(body(context._i_will_not_complain_if_bc_breaks_InstructionTranslator()))
        except BaseException as error:
            failed.append(error)
        raise Stopped

    runtime.uninstall_compile()  # the test makes the attempt's record itself
    torch._dynamo.reset()
    try:
        with NUMBERS:
            torch.compile(program(ask), backend="eager")(torch.ones(3))
    except Stopped:
        pass
    finally:
        runtime.install_compile()
    for error in failed:
        raise error
    return found[0]


def traced(kind: Callable[[Any], Any] = Begun) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test in a live trace; its first argument is what `kind` makes of the translator."""

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def run(**arguments: Any) -> None:
            def body(tx: Any) -> None:
                begun = kind(tx)
                with pytest.MonkeyPatch.context() as patch:
                    patch.setattr(trace_state.local, "trace", begun.trace)
                    patch.setattr(trace_state.local, "known", ())
                    test(begun, **arguments)

            in_a_trace(body)

        signature = inspect.signature(test)
        run.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=list(signature.parameters.values())[1:]
        )
        return run

    return decorate


def symbol_of(node: Node) -> Any:
    """The symbol that a number is."""
    return node.meta["example_value"].node.expr
