"""Code of a graph module: made anew when a pass has changed the graph."""

from __future__ import annotations

from torch.fx import GraphModule

from .torch_names import _LazyGraphModule


def finish(module: GraphModule) -> None:
    """Make the code of a module whose graph has been changed.

    One that makes it when it is first called describes on stderr whatever is raised in it; here the call is run again.
    """
    module.graph.lint()
    module.recompile()
    _LazyGraphModule.force_recompile(module)
