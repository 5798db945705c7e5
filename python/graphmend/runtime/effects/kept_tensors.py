"""Deferred records of tensors: a list of the program keeps a tensor itself.

    self.history.append(loss.detach())          # no read of the list in this call: the flush appends the tensor
    self.memory.append((state, action, reward))
    self.table[name].append(loss.detach())      # or a list behind keys of the program's containers

Dynamo would follow the list, and guard on its length: every call would compile again. The flush appends the very object
that Dynamo would append, so identity, storage and history of the tensor are those of the program. Where a later effect
raises and the call runs again in eager Python (`flush.run_again`), the flush takes the tensors out before.
"""

from __future__ import annotations

import collections
import functools
from typing import Any, Callable

import torch

from ..base import trace_state
from ..base.dynamo_values import constant, translator
from ..capture.identity_guard import type_of
from . import object_writes
from .keyed_writes import container_at, containers_behind, is_pythons, keys_of, method_of

KEEPERS = {"append": "pop", "appendleft": "popleft"}  # methods that put one object in, and their opposites


# ---- While the program is traced ----


@constant
def keeps_tensors(site: str, name: str, path: str, action: str) -> bool:
    """Whether the record in the calling frame puts tensors, or new containers with tensors, into a list or queue."""
    trace, current = trace_state.local.trace, translator().output.current_tx
    assert trace is not None
    names = current.symbolic_locals
    keys = keys_of(current)
    if trace.open or method_of(action) not in KEEPERS:
        return False
    if not keys and not object_writes.keeps_itself(action, names["sink"].get_code()):
        return False
    try:
        owner, attribute, is_global = object_writes.find_owner(current, names["sink"], names["roots"], path)
        target = owner[attribute] if is_global else object_writes.attribute(owner, attribute)
    except (LookupError, AttributeError):
        return False
    is_sound = containers_behind(target, keys) is not None
    is_sound = is_sound and all(map(is_kept, names[name].unpack_var_sequence(current)[len(keys) :]))
    if is_sound:
        trace.touched[site] = None
    return is_sound


def is_kept(variable: Any) -> bool:
    """Whether Dynamo's variable is a tensor, a number, a string, or a container of these that the call has made."""
    from ..base.torch_names import ConstDictVariable, ListVariable, TupleVariable

    kind = type_of(variable)
    if kind in (torch.Tensor, torch.nn.Parameter, *object_writes.PLAIN):
        return True
    variable = variable.realize()
    if type(variable) not in (ConstDictVariable, ListVariable, TupleVariable) or variable.source:
        return False
    items = variable.items
    if isinstance(items, dict):
        return all(object_writes.is_number_or_text(key.vt) for key in items) and all(map(is_kept, items.values()))
    return all(map(is_kept, items))


# ---- Behind the graph ----


def stays(
    sink: Callable[..., None], path: str, is_global: bool, action: str, done: list[Any], number: int, *values: Any
) -> bool:
    """Whether the record writes to a container of Python's own type, through such containers."""
    target = owner_of(sink, path, is_global, values)
    return is_pythons(target, values[not is_global :][:number])


def owner_of(sink: Callable[..., None], path: str, is_global: bool, values: tuple[Any, ...]) -> Any:
    """The object that a record names."""
    first, *names = path.split(".")
    return functools.reduce(getattr, names, sink.__globals__[first] if is_global else values[0])


def keep(
    sink: Callable[..., None], path: str, is_global: bool, action: str, done: list[Any], number: int, *values: Any
) -> None:
    """Carry out a record with `number` keys, and note in `done` how to take the tensor out again; a full queue drops
    an item.
    """
    target, missing = container_at(owner_of(sink, path, is_global, values), values[not is_global :][:number])
    if missing:
        sink(*values)
        done.append(functools.partial(target.pop, *missing))
        return
    limit = getattr(target, "maxlen", None)
    dropped = [] if limit is None or len(target) < limit else list(target)
    sink(*values)
    opposite = KEEPERS[method_of(action)]
    done.append(functools.partial(put_back, target, dropped) if dropped or limit == 0 else getattr(target, opposite))


def put_back(target: collections.deque[Any], items: list[Any]) -> None:
    """Give a queue with a limit the items back that it had before it dropped one."""
    target.clear()
    target.extend(items)


def take_out(records: list[tuple[Any, ...]]) -> bool:
    """Take the tensors of records out of their containers again, the last one first; true, as an `undo` is."""
    for _, _, _, _, done, *_ in reversed(records):
        for opposite in done:
            opposite()
    return True
