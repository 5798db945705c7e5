"""Functions of NumPy that Dynamo does not know, as operators of the graph.

They compute with their arguments and do nothing else, and what they give is an array of its own. It has to look like
the one of the call that was traced; otherwise, and where the function raises, the call runs again in eager Python.
"""

from __future__ import annotations

import sys
from typing import Any, Iterator, Optional

from . import callers, hosts, operators, outside_calls, state
from .asked import as_tensor
from .hosts import Host, Place
from .paths import path_of
from .regions import tensor_of

NAMES = frozenset(
    """
    argpartition delete digitize ediff1d insert interp intersect1d isin lexsort nancumprod nancumsum packbits partition
    polyadd polyder polyfit polyint polymul polysub polyval roots setdiff1d setxor1d trapezoid trim_zeros union1d
    unpackbits unwrap
    """.split()
)
OPERATOR = operators.define("array(str key, Tensor[] tensors) -> Tensor", hosts.run, hosts.fake)
hosts.OPERATORS.append(OPERATOR)


@state.in_whole_calls
def arrays_computed(trace: state.Trace) -> Iterator[None]:
    """Let a trace of a whole call inside the block put such functions into the graph."""
    from torch._dynamo.variables.misc import NumpyDTypeVariable, NumpyVariable
    from torch._dynamo.variables.tensor import NumpyNdarrayVariable

    call, attribute = NumpyVariable.call_function, NumpyNdarrayVariable.var_getattr

    def calling(self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
        found = computed(trace, tx, self, args, kwargs) if is_unknown(self.value) else None
        return call(self, tx, args, kwargs) if found is None else found

    def reading(self: Any, tx: Any, name: str) -> Any:
        kind = type_of(self) if name == "dtype" else None
        return attribute(self, tx, name) if kind is None else NumpyDTypeVariable(kind)

    with state.replaced(
        (NumpyVariable, "call_function", calling),
        (NumpyNdarrayVariable, "var_getattr", reading),
    ):
        yield


def type_of(variable: Any) -> Optional[Any]:
    """NumPy's type of the items of an array; None if there is none, or torch might have come to another one."""
    node = variable.as_proxy().node
    if not all(map(keeps_types, ancestors(node))):
        return None
    try:
        return sys.modules["numpy"].dtype(str(tensor_of(node).dtype).replace("torch.", ""))
    except (AttributeError, TypeError):  # bfloat16
        return None


def ancestors(node: Any) -> dict[Any, None]:
    """A node and everything that it is computed from."""
    found = {node: None}
    waiting = [node]
    while waiting:
        new = [item for item in waiting.pop().all_input_nodes if item not in found]
        found.update(dict.fromkeys(new))
        waiting += new
    return found


def keeps_types(node: Any) -> bool:
    """Whether a node gives no floating point numbers of integers: in double precision for NumPy, not for torch."""
    values = [tensor_of(item) for item in (node, *node.all_input_nodes)]
    result, *operands = (getattr(getattr(value, "dtype", None), "is_floating_point", None) for value in values)
    return not result or not operands or any(operands)


def is_unknown(function: Any) -> bool:
    """Whether a function is one of these, and Dynamo has no other form of it."""
    from torch._dynamo.variables.misc import get_np_to_tnp_map

    name = getattr(function, "__name__", "")
    return (
        name in NAMES
        and getattr(sys.modules["numpy"], name, None) is function
        and (function not in get_np_to_tnp_map())
    )


def computed(trace: state.Trace, tx: Any, variable: Any, args: Any, kwargs: Any) -> Optional[Any]:
    """Dynamo's variable of the array that a function gives; None where no operator can take its place."""
    from torch._dynamo.variables.tensor import NumpyNdarrayVariable

    tensors: list[Any] = []
    try:
        arguments = (
            [plain(tx, item, tensors) for item in args],
            {key: plain(tx, kwargs[key], tensors) for key in kwargs},
        )
    except TypeError:
        return None
    path = path_of(trace, tx.output)
    values = [path.tensor(item.as_proxy().node) for item in tensors]
    if tx.output.current_tracer.parent is not None or not tensors or any(value is None for value in values):
        return None
    host = Host(variable.value, arguments)
    try:
        host.like = host.call([value.detach() for value in values])  # type: ignore[union-attr]
    except Exception:  # Python raises it as well, or the result is another one
        return None
    outside_calls.guard(variable, variable.value)
    trace.libraries[callers.site_at(tx, "GM501")] = None
    proxy = tx.output.create_proxy(
        "call_function",
        OPERATOR,
        (hosts.keep(host, variable.value.__name__), [item.as_proxy() for item in tensors]),
        {},
    )
    result = NumpyNdarrayVariable.create(tx, proxy)
    if path.shadow is not None:
        path.shadow.values[proxy.node] = host.like
    return result


def plain(tx: Any, variable: Any, tensors: list[Any]) -> Any:
    """An argument: a constant of the trace, or the place of an array; raises TypeError for others."""
    variable = variable.realize()
    kind = type(variable).__name__
    if kind == "NumpyNdarrayVariable":
        example = variable.as_proxy().node.meta["example_value"]
        if example.requires_grad or example.dim() == 0 or example.device.type != "cpu":
            raise TypeError
        tensors.append(as_tensor(tx, variable))
        return Place(len(tensors) - 1, True)
    if kind in ("ListVariable", "TupleVariable"):
        return variable.python_type()(plain(tx, item, tensors) for item in variable.items)
    if not variable.is_python_constant() or not hosts.is_constant(variable.as_python_constant()):
        raise TypeError
    return variable.as_python_constant()
