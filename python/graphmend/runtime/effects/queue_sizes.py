"""Sizes of queues, read behind the graph: the writes to the queue are deferred, so the size comes after them.

    self.results.put(y.detach())
    return y, self.results.qsize()     # the flush puts y, then reads the size into the returned tuple

During the trace a placeholder (`deferred_values.py`) stands for the size. The program may return the placeholder and
show it in deferred effects; any other use is refused. After the flush, `ResultSlots` writes the number into the result.
"""

from __future__ import annotations

import queue
from typing import Any, Callable, Optional

import torch

from ..base import call_stack, effect_queue, hooks, trace_state
from ..base.dynamo_values import receiver_of, source_name
from ..base.trace_state import local
from . import object_writes, undo_log
from .deferred_values import METHOD, OPERATIONS, READINGS, DeferredNumber, note_reading, read_clock

FEATURE = hooks.Feature(__name__, hooks.GAIN, "sizes of queues, asked behind the graph")

QUESTIONS = (queue.Queue.qsize, queue.Queue.empty, queue.Queue.full)
KINDS = (queue.Queue, queue.LifoQueue, queue.PriorityQueue)
Path = tuple[Any, ...]  # keys from the result of a call to a placeholder


def read_behind(site: str, function: Callable[[], Any]) -> DeferredNumber:
    """The placeholder for the result of a function called behind the graph. Dynamo traces this function."""
    cell: list[Any] = []
    local.queue.append((local, read_clock, torch.is_grad_enabled(), None, function, cell))
    return DeferredNumber(site, "", (cell,))


@FEATURE.hook("method.call")
def ask_queue(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Read the size of a queue behind the graph."""
    from ..base.torch_names import SourcelessBuilder, UserFunctionVariable

    site = call_stack.site_at(tx, "GM501")
    is_question = self.fn in QUESTIONS and not args and not kwargs and site not in trace.off and not trace.open
    if not is_question or not is_pythons(receiver_of(self), tx) or tx.output.current_tracer.parent is not None:
        return hooks.DECLINED
    note_reading(trace, site)
    trace.unmarked[site] = None
    object_writes.loads_of(trace).expect(source_name(receiver_of(self).source))
    undo_log.watch(trace, tx.output)
    return UserFunctionVariable(read_behind).call_function(tx, [SourcelessBuilder.create(tx, site), self], {})


def is_pythons(variable: Any, tx: Any) -> bool:
    """Whether Dynamo's variable is one of Python's queues from before the call."""
    if getattr(variable, "source", None) is None:
        return False
    try:
        return type(tx.output.resolve_source_value(variable.source)) in KINDS
    except Exception:  # a queue of this call
        return False


# ---- Results ----


class ResultSlots:
    """The places in the result of a call that hold placeholders; each place is a path of keys."""

    def __init__(self, paths: list[Path]) -> None:
        self.paths = paths

    def fill(self, result: Any) -> Any:
        """The result with numbers in place of the placeholders."""
        for path in self.paths:
            result = with_number(result, path)
        return result


def with_number(value: Any, path: Path) -> Any:
    """A part of a result with the number at one path."""
    if not path:
        return number_of(value)
    key, *rest = path
    part = with_number(value[key], tuple(rest))
    if type(value) is tuple:
        return (*value[:key], part, *value[key + 1 :])
    value[key] = part
    return value


def number_of(value: Any) -> Any:
    """The number behind a placeholder, computed from its operands; numbers stay unchanged."""
    if type(value) not in READINGS:
        return value
    if not value.operation:
        return value.parts[0][0]
    return OPERATIONS[value.operation](*map(number_of, value.parts))


def slots_in(output: Any) -> Optional[list[Path]]:
    """The paths to the placeholders in the result of a call; None if a placeholder also gets anywhere else."""
    effects = output.side_effects
    changed = [var for var in effects._get_modified_vars() if not (effect_queue.is_queue(var) or is_reading(var))]
    stored = [table for var, table in effects.store_attr_mutations.items() if not is_reading(var)]
    paths: list[Path] = []
    is_complete = not has_reading((changed, stored)) and collect(output.root_tx.stack[-1:], (), paths, set(), effects)
    slots = [path[1:] for path in paths]
    return slots if is_complete else None


def collect(value: Any, path: Path, paths: list[Path], seen: set[int], effects: Any) -> bool:
    """Note the paths to the placeholders in a value; False if a placeholder is in an object other than new
    containers.
    """
    if isinstance(value, list):
        return all(collect(item, (*path, i), paths, seen, effects) for i, item in enumerate(value))
    value = value.unwrap()
    if is_reading(value):
        paths.append(path)
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
        return collect(value.items, path, paths, seen, effects)
    keys = [key.vt for key in value.items]
    if not all(type(key).__name__ == "ConstantVariable" for key in keys):
        return False
    items = zip(keys, value.items.values())
    return all(collect(item, (*path, key.value), paths, seen, effects) for key, item in items)


def cannot_fail(reading: Any, effects: Any) -> bool:
    """Whether the arithmetic on a reading never raises, whatever the number."""
    operation, parts = operation_of(reading, effects)
    if not operation or operation.startswith(METHOD):
        return True
    divides = operation in ("/", "//", "%")
    if divides and not (parts[1].is_python_constant() and parts[1].as_python_constant()):
        return False
    return all(is_number(part, effects) for part in parts)


def is_number(part: Any, effects: Any) -> bool:
    """Whether an operand is a number for certain: a string from a reading, or an optional value, is not."""
    if not is_reading(part):
        return part.python_type() in (int, float, bool)
    operation, parts = operation_of(part, effects)
    if operation.startswith(METHOD):
        return False
    return cannot_fail(part, effects) if operation else len(parts) == 1


def operation_of(reading: Any, effects: Any) -> tuple[str, list[Any]]:
    """The operation of a placeholder and its operands, as Dynamo's variables."""
    stored = effects.store_attr_mutations[reading]
    return stored["operation"].as_python_constant(), [part.unwrap() for part in stored["parts"].unwrap().items]


def has_reading(value: Any) -> bool:
    """Whether Dynamo's variable, or a list of variables, holds a placeholder."""
    from ..base.torch_names import VariableTracker

    placeholders: list[Any] = []
    VariableTracker.visit(lambda variable: placeholders.append(variable) if is_reading(variable) else None, value)
    return bool(placeholders)


def is_reading(variable: Any) -> bool:
    """Whether Dynamo's variable is a placeholder."""
    return getattr(variable, "value_type", None) in READINGS
