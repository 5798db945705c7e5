"""A backend that runs graphs as they are, and says on standard error how many there were.

    model = torch.compile(model, backend="counted")

The scripts beside this file use it so that their transcripts tell the same on each machine.
"""

from __future__ import annotations

import atexit
import sys
from typing import Any

import torch

graphs: list[Any] = []


@torch._dynamo.register_backend
def counted(module: torch.fx.GraphModule, example_inputs: list[Any]) -> Any:
    """Count a graph, and run it with torch's own kernels."""
    graphs.append(module)
    return module.forward


@atexit.register
def tell() -> None:
    """Say how many graphs the run had."""
    print(f"graphs: {len(graphs)}", file=sys.stderr)
