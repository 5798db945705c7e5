"""Functions that are written in C, or ask for a number that data decide, spelled out in Python for the trace.

`bisect` and `heapq` have their own Python form in the standard library, which makes the same comparisons in the same
order; Dynamo traces that, and the graph follows the answers. `one_hot` without a number of classes looks for the
largest itself. `copy.copy` of a container calls a method of its class, which Dynamo knows as one of the container.
"""

from __future__ import annotations

import ast
import bisect
import copy
import functools
import heapq
import inspect
import sys
import types
from typing import Any, Callable, Optional

import torch

from ..base import hooks, trace_state
from ..base.dynamo_values import inline

FEATURE = hooks.Feature(__name__, hooks.GAIN, "functions in C traced in their Python form")

MODULES = (bisect, heapq)
COPIED = (list, dict, set)


@FEATURE.hook("torch_function.call")
def count_classes(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """`one_hot` without a number of classes."""
    if self.value is torch.nn.functional.one_hot and counts_classes(args, kwargs):
        return inline(tx, one_hot, args[:1] or [kwargs["input"]], {})
    return call(self, tx, args, kwargs)


@FEATURE.hook("skipped.call")
def call_in_python(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """A function of a module that has a Python form."""
    function = in_python(self.value)
    return call(self, tx, args, kwargs) if function is None else inline(tx, function, args, kwargs)


@FEATURE.hook("function.call")
def call_copy(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """`copy.copy` of a container, and functions with a Python form."""
    known = getattr(self, "fn", None)
    function = in_python(known)
    if known is copy.copy and len(args) == 1 and args[0].realize().python_type() in COPIED:
        return args[0].realize().call_method(tx, "copy", [], {})
    return call(self, tx, args, kwargs) if function is None else inline(tx, function, args, kwargs)


@FEATURE.hook("builtin.call")
def sort_tensor(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """`sorted` of a tensor."""
    from ..base.torch_names import VariableTracker

    if self.fn is sorted and len(args) == 1 and args[0].realize().is_tensor():
        args = [VariableTracker.build(tx, list).call_function(tx, args, {})]
    return call(self, tx, args, kwargs)


def counts_classes(args: Any, kwargs: Any) -> bool:
    """Whether `one_hot` with these arguments finds out how many classes there are."""
    classes = args[1] if len(args) > 1 else kwargs.get("num_classes")
    if len(args) > 2 or not kwargs.keys() <= {"input", "num_classes"} or not (args or "input" in kwargs):
        return False
    return classes is None or (classes.is_python_constant() and classes.as_python_constant() == -1)


def one_hot(labels: Any) -> Any:
    """`one_hot` with as many classes as there are; what it raises comes from the eager run."""
    return torch.nn.functional.one_hot(labels, int(labels.max()) + 1)


def in_python(function: Any) -> Optional[Callable[..., Any]]:
    """The Python form of a function of such a module; None for all others."""
    module = getattr(function, "__module__", None)
    if module not in NAMES:
        return None
    name = getattr(function, "__name__", "")
    owner = next(item for item in MODULES if item.__name__ == module.lstrip("_"))
    return getattr(python_form(owner), name, None) if getattr(owner, name, None) is function else None


NAMES = frozenset(name for module in MODULES for name in (module.__name__, "_" + module.__name__))


@functools.lru_cache(maxsize=None)
def python_form(module: types.ModuleType) -> types.ModuleType:
    """A module of the standard library without what is written in C, as code that Dynamo looks into."""
    tree = ast.parse(inspect.getsource(module))
    tree.body = [part for part in tree.body if not isinstance(part, (ast.Try, ast.If))]  # imports, and running it
    form = types.ModuleType(f"{__name__}_{module.__name__}")
    sys.modules[form.__name__] = form  # where Dynamo looks for the globals of its functions
    exec(compile(Sentinels().visit(tree), __file__, "exec"), vars(form))
    return form


class Sentinels(ast.NodeTransformer):
    """Has a function of the module itself stand for `object()`, which Dynamo cannot make: nobody else holds it."""

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "object":
            return ast.copy_location(ast.Name("nlargest", ast.Load()), node)
        return node
