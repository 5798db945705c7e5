"""Operators of the graph that call what Dynamo cannot look into; they compute and do nothing else."""

from __future__ import annotations

from typing import Any, Callable

import torch

NAMESPACE = "graphmend_functions"
LIBRARY = torch.library.Library(NAMESPACE, "DEF")


def define(schema: str, kernel: Callable[..., Any], like: Callable[..., Any], tags: Any = ()) -> Any:
    """The operator of a schema. `like` gives results that look like those of the kernel, whatever is in them."""
    name = schema.partition("(")[0]
    LIBRARY.define(schema, tags=tags)
    LIBRARY.impl(name, kernel, "CompositeExplicitAutograd")
    torch.library.register_fake(f"{NAMESPACE}::{name}", like, lib=LIBRARY)
    return getattr(getattr(torch.ops, NAMESPACE), name).default


def derive(operator: Any, backward: Callable[..., Any], keep: Callable[..., Any]) -> None:
    """Give an operator a backward pass, which has what `keep` has put into its context."""
    torch.library.register_autograd(operator, backward, setup_context=keep, lib=LIBRARY)
