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
from typing import Any, Callable, Iterator, Optional

import torch

from . import state

MODULES = (bisect, heapq)
COPIED = (list, dict, set)


@state.in_whole_calls
def spelled_out(trace: state.Trace) -> Iterator[None]:
    """Let a trace of a whole call inside the block look into such functions."""
    from torch._dynamo.variables import BuiltinVariable, SkipFunctionVariable, UserFunctionVariable, VariableTracker
    from torch._dynamo.variables.torch import TorchInGraphFunctionVariable

    call, skipped, inlined = (
        kind.call_function for kind in (TorchInGraphFunctionVariable, SkipFunctionVariable, UserFunctionVariable)
    )
    built = BuiltinVariable.call_function

    def calling(self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
        if self.value is torch.nn.functional.one_hot and counts_classes(args, kwargs):
            return inline(tx, one_hot, args[:1] or [kwargs["input"]], {})
        return call(self, tx, args, kwargs)

    def skipping(self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
        function = in_python(self.value)
        return skipped(self, tx, args, kwargs) if function is None else inline(tx, function, args, kwargs)

    def inlining(self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
        known = getattr(self, "fn", None)
        function = in_python(known)
        if known is copy.copy and len(args) == 1 and args[0].realize().python_type() in COPIED:
            return args[0].realize().call_method(tx, "copy", [], {})
        return inlined(self, tx, args, kwargs) if function is None else inline(tx, function, args, kwargs)

    def building(self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
        if self.fn is sorted and len(args) == 1 and args[0].realize().is_tensor():
            args = [VariableTracker.build(tx, list).call_function(tx, args, {})]
        return built(self, tx, args, kwargs)

    with state.replaced(
        (TorchInGraphFunctionVariable, "call_function", calling),
        (SkipFunctionVariable, "call_function", skipping),
        (UserFunctionVariable, "call_function", inlining),
        (BuiltinVariable, "call_function", building),
    ):
        yield


def inline(tx: Any, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Dynamo's variable of what a function of the runtime gives."""
    from torch._dynamo.variables import VariableTracker

    return tx.inline_user_function_return(VariableTracker.build(tx, function), list(args), kwargs)


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
