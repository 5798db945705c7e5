"""Operators of the graph that call functions opaque to Dynamo.

    LOSS = define("ctc_loss(Tensor log_probs, ...) -> Tensor", kernel, like)
    derive(LOSS, backward, keep)
    # in a trace: inline(tx, ctc_loss, args, kwargs) puts `graphmend_functions::ctc_loss` into the graph

Dynamo breaks at code in C and at calls with data-dependent internals. An operator with a kernel in Python and a fake
kernel for shapes takes the place of such a call. The kernels only compute.
"""

from __future__ import annotations

from typing import Any, Callable, Protocol

import torch

NAMESPACE = "graphmend_functions"


class OperatorLibrary(Protocol):
    """The typed part of `torch.library.Library`, whose own methods have no annotations."""

    def define(self, schema: str, *, tags: Any = ()) -> Any:
        """Define an operator by its schema."""

    def impl(self, name: str, kernel: Callable[..., Any], dispatch_key: str) -> None:
        """Give an operator a kernel."""


def library(namespace: str) -> OperatorLibrary:
    """A new library of operators; the operators live as long as the library."""
    create: Callable[[str, str], OperatorLibrary] = torch.library.Library
    return create(namespace, "DEF")


# `lib` may be an OperatorLibrary.
register_fake: Callable[..., Any] = torch.library.register_fake
LIBRARY = library(NAMESPACE)


def define(schema: str, kernel: Callable[..., Any], fake_kernel: Callable[..., Any], tags: Any = ()) -> Any:
    """Define an operator; `like` is the fake kernel: results of the right shape, with arbitrary values."""
    name = schema.partition("(")[0]
    LIBRARY.define(schema, tags=tags)
    LIBRARY.impl(name, kernel, "CompositeExplicitAutograd")
    register_fake(f"{NAMESPACE}::{name}", fake_kernel, lib=LIBRARY)
    return getattr(getattr(torch.ops, NAMESPACE), name).default


def derive(operator: Any, backward: Callable[..., Any], keep: Callable[..., Any]) -> None:
    """Give an operator a backward pass; `keep` puts values into the context that `backward` reads."""
    torch.library.register_autograd(operator, backward, setup_context=keep, lib=LIBRARY)
