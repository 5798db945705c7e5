"""Code of a graph module, generated again when a pass has changed the graph.

graph.erase_node(node)            # a pass
finish(module)                    # module.forward is new code
"""

from __future__ import annotations

from torch.fx import GraphModule

from .torch_names import _LazyGraphModule


def finish(module: GraphModule) -> None:
    """Generate the code of a module after a change of the graph.

    A lazy module generates code at its first call, and prints a description of every exception in the call to stderr.
    The runtime runs such a call again, so the code is generated here.
    """
    module.graph.lint()
    module.recompile()
    _LazyGraphModule.force_recompile(module)
