"""How full a queue is, where the program returns it: read behind the graph, among the deferred work of the call.

What a call puts into a queue is put there behind the graph (object_writes.py). A number of items that is asked for in
the same call can only be had there, too. While the call is traced an object stands for it (deferred_values.py); it may
be returned, and shown by other deferred work, and whatever else the program does with it is refused.
"""

from __future__ import annotations

import queue
from typing import Any, Callable, Optional

import torch

from ..base import call_stack, effect_queue, hooks, trace_state
from ..base.dynamo_values import receiver_of, source_name
from ..base.trace_state import local
from . import object_writes, undo_log
from .deferred_values import OPERATIONS, Later, note_reading, take

FEATURE = hooks.Feature(__name__, hooks.GAIN, "sizes of queues, asked behind the graph")

QUESTIONS = (queue.Queue.qsize, queue.Queue.empty, queue.Queue.full)
KINDS = (queue.Queue, queue.LifoQueue, queue.PriorityQueue)


def read_behind(site: str, function: Callable[[], Any]) -> Later:
    """What stands for the answer of a function that is called behind the graph. Dynamo traces this."""
    cell: list = []
    local.queue.append((local, take, torch.is_grad_enabled(), None, function, cell))
    return Later(site, "", (cell,))


@FEATURE.hook("method.call")
def ask_queue(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Ask a queue behind the graph."""
    from ..base.torch_names import SourcelessBuilder, UserFunctionVariable

    site = call_stack.site_at(tx, "GM501")
    asks = self.fn in QUESTIONS and not args and not kwargs and site not in trace.off and not trace.open
    if not asks or not is_pythons(receiver_of(self), tx) or tx.output.current_tracer.parent is not None:
        return call(self, tx, args, kwargs)
    note_reading(trace, site)
    trace.unmarked[site] = None
    object_writes.loads_of(trace).expect(source_name(receiver_of(self).source))
    undo_log.watch(trace, tx.output)
    return UserFunctionVariable(read_behind).call_function(tx, [SourcelessBuilder.create(tx, site), self], {})


def is_pythons(variable: Any, tx: Any) -> bool:
    """Whether a variable of Dynamo's is a queue of Python's that exists before the call."""
    if getattr(variable, "source", None) is None:
        return False
    try:
        return type(tx.output.resolve_source_value(variable.source)) in KINDS
    except Exception:  # made in this call
        return False


# ---- Results ----


class Fills:
    """Where the result of a call gets what was read behind the graph: the ways to the readings, by keys."""

    def __init__(self, ways: list[tuple]) -> None:
        self.ways = ways

    def fill(self, result: Any) -> Any:
        """The result with the readings in it."""
        for way in self.ways:
            result = filled(result, way)
        return result


def filled(value: Any, way: tuple) -> Any:
    """A part of a result with one reading in it."""
    if not way:
        return number_of(value)
    key, *rest = way
    part = filled(value[key], tuple(rest))
    if type(value) is tuple:
        return (*value[:key], part, *value[key + 1 :])
    value[key] = part
    return value


def number_of(value: Any) -> Any:
    """A number, of which a reading may be a part."""
    if type(value) is not Later:
        return value
    if not value.operation:
        return value.parts[0][0]
    return OPERATIONS[value.operation](*map(number_of, value.parts))


def ways_to(output: Any) -> Optional[list[tuple]]:
    """The ways to the readings in what a call returns; None if one gets anywhere else."""
    effects = output.side_effects
    changed = [var for var in effects._get_modified_vars() if not (effect_queue.is_queue(var) or is_reading(var))]
    stored = [table for var, table in effects.store_attr_mutations.items() if not is_reading(var)]
    ways: list[tuple] = []
    known = not has_reading((changed, stored)) and collect(output.root_tx.stack[-1:], (), ways, set(), effects)
    found = [way[1:] for way in ways]
    return found if known else None


def collect(value: Any, way: tuple, ways: list[tuple], seen: set[int], effects: Any) -> bool:
    """Note the ways to the readings in a value; false if it holds one in another way than new containers do."""
    if isinstance(value, list):
        return all(collect(item, (*way, i), ways, seen, effects) for i, item in enumerate(value))
    value = value.unwrap()
    if is_reading(value):
        ways.append(way)
        return cannot_fail(value, effects)
    if not has_reading(value):
        return True
    kind = type(value).__name__
    if (
        value.source is not None
        or id(value) in seen
        or kind not in ("TupleVariable", "ListVariable", "ConstDictVariable")
    ):
        return False
    seen.add(id(value))
    if kind != "ConstDictVariable":
        return collect(value.items, way, ways, seen, effects)
    keys = [key.vt for key in value.items]
    if not all(type(key).__name__ == "ConstantVariable" for key in keys):
        return False
    items = zip(keys, value.items.values())
    return all(collect(item, (*way, key.value), ways, seen, effects) for key, item in items)


def cannot_fail(reading: Any, effects: Any) -> bool:
    """Whether what is computed of a reading raises nothing, whatever the reading says."""
    operation, parts = operation_of(reading, effects)
    if not operation:
        return True
    divides = operation in ("/", "//", "%")
    if divides and not (parts[1].is_python_constant() and parts[1].as_python_constant()):
        return False
    return all(is_number(part, effects) for part in parts)


def is_number(part: Any, effects: Any) -> bool:
    """Whether a part of an operation is a number, which a text that is read is not, nor what may be none."""
    if not is_reading(part):
        return part.python_type() in (int, float, bool)
    operation, parts = operation_of(part, effects)
    return cannot_fail(part, effects) if operation else len(parts) == 1


def operation_of(reading: Any, effects: Any) -> tuple[str, list[Any]]:
    """What is done with which parts, as variables of Dynamo's."""
    stored = effects.store_attr_mutations[reading]
    return stored["operation"].as_python_constant(), [part.unwrap() for part in stored["parts"].unwrap().items]


def has_reading(value: Any) -> bool:
    """Whether a variable of Dynamo's, or a list of such, holds a reading."""
    from ..base.torch_names import VariableTracker

    found: list[Any] = []
    VariableTracker.visit(lambda variable: found.append(variable) if is_reading(variable) else None, value)
    return bool(found)


def is_reading(variable: Any) -> bool:
    """Whether a variable of Dynamo's stands for a reading."""
    return getattr(variable, "value_type", None) is Later
