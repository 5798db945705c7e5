"""Functions behind `functools.lru_cache` that do more than compute, and results that the call changes.

    @functools.lru_cache
    def table(n):
        calls.append(n)         # once for each n
        return [n]

    table(3).append(1)          # changes the list that the next call gets, too

Dynamo ignores the cache and traces the function into every call. A function that writes to older objects, draws random
numbers, or reads what may change (`cache_reads`) is left to Python, and so is a call that changes a result of the
cache: a list, an object, or a tensor. Within one trace, a second call with the same constants gets the result of the
first one, as from the cache.
"""

from __future__ import annotations

import dataclasses
import random
import sys
from typing import Any, Iterator, Optional

import torch
from torch.fx import GraphModule, Node

from ..analysis import node_facts
from ..base import hooks, trace_state
from ..base.dynamo_values import package
from ..capture import dynamic_counters
from ..capture.trace_time import leave_frame_to_python, leave_to_python
from . import cache_answers, cache_reads
from .external_calls import identity
from .lru_caches import CACHED
from .numpy_random_functions import is_constant

IMPURE = "a function behind a cache does more than to compute"
CHANGED = "the call changes a result of a cache"
STALE = "a function behind a cache reads what may change"


@dataclasses.dataclass
class Results:
    """The cached functions of one graph."""

    output: Any = None
    open: int = 0  # cached functions that run at present
    marks: dict[int, Any] = dataclasses.field(default_factory=dict)  # of results that can be changed, by identity
    tensors: list[tuple[Any, Node]] = dataclasses.field(default_factory=list)  # memory, with the last node before
    known: dict[Any, Any] = dataclasses.field(default_factory=dict)  # variables of results, by function and constants


FEATURE = hooks.Feature(
    __name__, hooks.GUARD, "functions behind caches that do more than compute", partial=True, state=Results
)


@FEATURE.hook("wrapper.call")
def watch_function(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Watch what a cached function does, and note its result."""
    if type(self.wrapper_obj) is not CACHED or package(self.wrapper_obj.__wrapped__) == "torch":
        return hooks.DECLINED  # a default device asks torch's own functions for each operator
    objects = list(objects_in([*args, *kwargs.values()]))
    constants = constants_of(trace, tx.output, [*self.self_args(), *args, *kwargs.values()])
    if cache_reads.changes(self.wrapper_obj, objects, dynamic_counters.open_names(trace, tx)):
        may_ask = trace.whole and not kwargs
        answer = cache_answers.ask(trace, self, constants) if may_ask and constants is not None else None
        if answer is None:
            leave_to_python(trace, STALE)
        return answer
    results, nodes = FEATURE.of_graph(trace, tx.output), tx.output.graph.nodes
    key = None if constants is None else (self.wrapper_obj, tuple(kwargs), identity(constants))
    if key in results.known:
        return results.known[key]
    count, draws = len(nodes), len(tx.output.random_calls)
    results.open += 1
    try:
        result = call(self, tx, args, kwargs)
    finally:
        results.open -= 1
    new = list(nodes)[count:]
    if len(tx.output.random_calls) > draws or any(map(node_facts.draws, new)):
        leave_to_python(trace, IMPURE)
    for part in parts_of(result.realize(), tx.output.side_effects, set()):
        if goes_on(part):
            leave_to_python(trace, IMPURE)
        if part.is_tensor():
            value = part.as_proxy().node.meta.get("example_value")
            if node_facts.storage_of(value) is not None:
                results.tensors.append((value.untyped_storage(), list(nodes)[-1]))
        elif part.mutation_type is not None:
            results.marks[id(part.mutation_type)] = part.mutation_type
    if key is not None and not new:
        results.known[key] = result
    return result


def constants_of(trace: trace_state.Trace, output: Any, arguments: list[Any]) -> Optional[tuple[Any, ...]]:
    """The numbers and texts of a call; None in a side of a branch, and with other arguments."""
    if trace.open or output.current_tracer.parent is not None:
        return None
    constants = tuple(item.as_python_constant() for item in arguments if item.is_python_constant())
    return constants if len(constants) == len(arguments) and is_constant(constants) else None


def goes_on(variable: Any) -> bool:
    """Whether a value changes when it is used: an iterator, or a generator of random numbers."""
    try:
        kind = variable.python_type()
    except NotImplementedError:
        return True
    numpy = sys.modules.get("numpy")
    of_numpy = () if numpy is None else (numpy.random.Generator, numpy.random.RandomState)
    return hasattr(kind, "__next__") or issubclass(kind, (random.Random, torch.Generator, *of_numpy))


def objects_in(arguments: list[Any]) -> Iterator[Any]:
    """The objects among arguments that are neither constants nor symbolic numbers; their example values for tensors."""
    for argument in arguments:
        argument = argument.realize()
        if argument.is_python_constant() or hasattr(argument, "sym_num"):
            continue
        if argument.is_tensor():
            yield argument.as_proxy().node.meta.get("example_value")
        elif isinstance(getattr(argument, "items", None), (list, tuple)):
            yield from objects_in(argument.items)
        else:
            yield getattr(argument, "value", argument)


@FEATURE.hook("effects.check")
def check_change(check: Any, trace: trace_state.Trace, self: Any, item: Any) -> Any:
    """Leave a change of an older object inside of a cached function to Python, and a change of a result."""
    results = FEATURE.of(trace)
    if not results.open and not results.marks:
        return hooks.DECLINED
    if results.output is None or results.output.side_effects is not self:
        return hooks.DECLINED
    if results.open and item.source is not None:
        leave_to_python(trace, IMPURE)
    if id(item.mutation_type) in results.marks:
        leave_frame_to_python(trace, CHANGED)
    return hooks.DECLINED


@FEATURE.hook("tensor.method")
def check_write(call: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Leave a write to a result to Python; the graph of a whole call is looked at again behind the trace."""
    tensors = FEATURE.of(trace).tensors
    if tensors and name.endswith("_") and not name.startswith("__"):
        storage = node_facts.storage_of(self.as_proxy().node.meta.get("example_value"))
        if any(memory._cdata == storage for memory, _ in tensors):
            leave_frame_to_python(trace, CHANGED)
    return hooks.DECLINED


def parts_of(variable: Any, effects: Any, seen: set[int]) -> Iterator[Any]:
    """A variable, with the items of lists and tuples, the values of dictionaries and the attributes of new objects."""
    from ..base.torch_names import AttributeMutationNew

    if id(variable) in seen:
        return
    seen.add(id(variable))
    yield variable
    items = () if variable.is_python_constant() and variable.mutation_type is None else getattr(variable, "items", ())
    parts = [*items.values()] if isinstance(items, dict) else [*items] if isinstance(items, (list, tuple)) else []
    if isinstance(variable.mutation_type, AttributeMutationNew):
        parts += effects.store_attr_mutations.get(variable, {}).values()
    for item in parts:
        yield from parts_of(item.realize(), effects, seen)


def refuse_written(module: GraphModule, trace: trace_state.Trace) -> None:
    """Refuse a graph that writes to a tensor that a cache holds."""
    tensors = FEATURE.of(trace).tensors
    nodes = list(module.graph.nodes) if tensors else []
    for memory, last in tensors:
        if any(memory._cdata in node_facts.writes_of(node) for node in node_facts.nodes_behind(nodes, last)):
            raise trace_state.SiteRefused(CHANGED)
