"""Polyfills: C functions of the standard library in Python, for Dynamo to trace.

    place = bisect.bisect(boundaries, loss.item())     # C code compares numbers of the graph
    worst = heapq.nsmallest(3, scores)
    codes = torch.nn.functional.one_hot(labels)        # the number of classes is data
    spread = torch.cov(x.T)                            # C code asks a tensor whether the divisor is positive

`bisect` and `heapq` have a Python form in the standard library, with the same comparisons in the same order. Dynamo
traces the Python form, and the graph follows the answers. `one_hot` without a number of classes computes the largest
label first. `cov` and `corrcoef` take the divisor from the shape. `copy.copy` of a container becomes the container's
own method `copy`, and `np.ndindex` an iterator over tuples. A function behind `functools.lru_cache` is traced wherever
a class keeps it, for example a subclass of `torch.autograd.Function`.
"""

from __future__ import annotations

import ast
import bisect
import copy
import functools
import heapq
import inspect
import itertools
import math
import sys
import types
from typing import Any, Callable, Optional

import torch

from ..base import hooks, trace_state
from ..base.dynamo_values import inline

FEATURE = hooks.Feature(__name__, hooks.GAIN, "functions in C traced in their Python form")

MODULES = (bisect, heapq)
MOST_PLACES = 4096
COPIED = (list, dict, set)
CACHED = type(functools.lru_cache(int))


@FEATURE.hook("torch_function.call")
def count_classes(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Trace `one_hot` without a number of classes."""
    if self.value is torch.nn.functional.one_hot and counts_classes(args, kwargs):
        return inline(tx, one_hot, args[:1] or [kwargs["input"]], {})
    return hooks.DECLINED


@FEATURE.hook("numpy.call")
def call_places(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Trace the places that `np.ndindex` goes over."""
    numpy = sys.modules["numpy"]
    if self.value is not numpy.ndindex or kwargs or not all(item.realize().is_python_constant() for item in args):
        return hooks.DECLINED
    if len(args) == 1 and args[0].python_type() is tuple:
        args = args[0].realize().items
    sizes = [item.as_python_constant() for item in args]
    if not all(type(size) is int and size >= 0 for size in sizes) or math.prod(sizes) > MOST_PLACES:
        return hooks.DECLINED
    return inline(tx, places, args, {})


@FEATURE.hook("torch_function.call")
def call_covariance(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Trace `cov` and `corrcoef`."""
    form = COVARIANCES.get(getattr(self.value, "__name__", "")) if self.value in (torch.cov, torch.corrcoef) else None
    rows = [*args, *kwargs.values()]
    if form is None or len(rows) != 1 or not kwargs.keys() <= {"input"} or not has_covariance(rows[0].realize()):
        return hooks.DECLINED
    return inline(tx, form, rows, {})


@FEATURE.hook("tensor.method")
def call_covariance_of(
    call: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any
) -> Any:
    """Trace the methods of the same names."""
    if name not in COVARIANCES or args or kwargs or not has_covariance(self):
        return hooks.DECLINED
    return inline(tx, COVARIANCES[name], [self], {})


@FEATURE.hook("skipped.call")
def call_in_python(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Trace the Python form of a C function, and the function behind a cache."""
    from ..base.torch_names import VariableTracker

    if type(self.value) is CACHED and self.source is not None:
        return VariableTracker.build(tx, self.value, self.source).call_function(tx, args, kwargs)
    function = in_python(self.value)
    return hooks.DECLINED if function is None else inline(tx, function, args, kwargs)


@FEATURE.hook("function.call")
def call_copy(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Trace `copy.copy` of a container, and functions with a Python form."""
    called = getattr(self, "fn", None)
    function = in_python(called)
    if called is copy.copy and len(args) == 1 and args[0].realize().python_type() in COPIED:
        return args[0].realize().call_method(tx, "copy", [], {})
    return hooks.DECLINED if function is None else inline(tx, function, args, kwargs)


@FEATURE.hook("builtin.call", of=(sorted,))
def sort_tensor(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Trace `sorted` of a tensor."""
    from ..base.torch_names import VariableTracker

    if len(args) == 1 and args[0].realize().is_tensor():
        return call(self, tx, [VariableTracker.build(tx, list).call_function(tx, args, {})], kwargs)
    return hooks.DECLINED


def counts_classes(args: Any, kwargs: Any) -> bool:
    """Whether `one_hot` with these arguments computes the number of classes itself."""
    classes = args[1] if len(args) > 1 else kwargs.get("num_classes")
    if len(args) > 2 or not kwargs.keys() <= {"input", "num_classes"} or not (args or "input" in kwargs):
        return False
    return classes is None or (classes.is_python_constant() and classes.as_python_constant() == -1)


def one_hot(labels: Any) -> Any:
    """`one_hot` with the number of classes in the labels; exceptions of `one_hot` come from the eager run."""
    return torch.nn.functional.one_hot(labels, int(labels.max()) + 1)


def has_covariance(variable: Any) -> bool:
    """Whether a tensor has real numbers in rows of more than one; fewer make a warning."""
    from ..base.torch_names import GuardOnDataDependentSymNode

    fake = variable.as_proxy().node.meta.get("example_value") if variable.is_tensor() else None
    if fake is None or not fake.dtype.is_floating_point or fake.ndim not in (1, 2) or fake.layout != torch.strided:
        return False
    try:
        return bool(fake.shape[-1] > 1)
    except GuardOnDataDependentSymNode:
        return False


def places(*sizes: Any) -> Any:
    """The places of an array, in the order of its rows."""
    return iter(list(itertools.product(*[range(size) for size in sizes])))


def cov(rows: Any) -> Any:
    """`torch.cov` without weights, by the steps of the function in C."""
    rows = rows.view(1, -1) if rows.ndim < 2 else rows
    count = torch.full((), rows.shape[1], dtype=torch.long, device=rows.device)
    rows = rows - (rows.sum(1) / count).unsqueeze(1)
    return torch.true_divide(torch.mm(rows, rows.t()), count - 1).squeeze()


def corrcoef(rows: Any) -> Any:
    """`torch.corrcoef`, by the steps of the function in C."""
    found = cov(rows)
    if found.ndim == 0:
        return found / found
    deviation = found.diag().sqrt()
    return (found / deviation.view(-1, 1) / deviation.view(1, -1)).clip(-1, 1)


COVARIANCES = {"cov": cov, "corrcoef": corrcoef}


def in_python(function: Any) -> Optional[Callable[..., Any]]:
    """The Python form of a C function; None for other functions."""
    module = getattr(function, "__module__", None)
    if module not in NAMES:
        return None
    name = getattr(function, "__name__", "")
    owner = next(item for item in MODULES if item.__name__ == module.lstrip("_"))
    return getattr(python_form(owner), name, None) if getattr(owner, name, None) is function else None


NAMES = frozenset(name for module in MODULES for name in (module.__name__, "_" + module.__name__))


@functools.lru_cache(maxsize=None)
def python_form(module: types.ModuleType) -> types.ModuleType:
    """A module of the standard library without its imports of C functions, as code that Dynamo traces."""
    tree = ast.parse(inspect.getsource(module))
    tree.body = [part for part in tree.body if not isinstance(part, (ast.Try, ast.If))]  # C imports and the main block
    form = types.ModuleType(f"{__name__}_{module.__name__}")
    sys.modules[form.__name__] = form  # Dynamo finds globals of functions through their module
    exec(compile(Sentinels().visit(tree), __file__, "exec"), vars(form))
    return form


class Sentinels(ast.NodeTransformer):
    """Replaces `object()`, unsupported by Dynamo, by a function of the module: a sentinel known to no other
    code, too.
    """

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "object":
            return ast.copy_location(ast.Name("nlargest", ast.Load()), node)
        return node
