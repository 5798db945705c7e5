"""Code of a graph module, generated again when a pass has changed the graph.

graph.erase_node(node)            # a pass
finish(module)                    # module.forward is new code
"""

from __future__ import annotations

import operator

from torch.fx import GraphModule

from .torch_names import _LazyGraphModule


def finish(module: GraphModule) -> None:
    """Generate the code of a module after a change of the graph.

    A lazy module generates code at its first call, and prints a description of every exception in the call to stderr.
    The runtime runs such a call again, so the code is generated here. The generator writes `operator.pow` of a negative
    number as `-1 ** n`, which is `-(1 ** n)`; the function `pow` keeps its arguments apart.
    """
    for node in module.graph.find_nodes(op="call_function", target=operator.pow):
        if isinstance(node.args[0], (int, float)) and str(node.args[0]).startswith("-"):
            node.target = pow
    module.graph.lint()
    module.recompile()
    _LazyGraphModule.force_recompile(module)
