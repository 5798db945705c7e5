"""Containers behind keys: which ones a record such as `self.table[name].append(value)` may go through and write to.

    self.table = {"loss": [], "norm": []}     # before the call
    self.table[name].append(loss.detach())    # deferred; `name` is not read, so one graph serves every name

The record is sound if the trace reads none of these containers, and if no step runs code of the program: all of them
are Python's own, and a missing key makes a container of Python's own or raises. A key is a number or a text.
"""

from __future__ import annotations

import collections
from typing import Any, Optional

from ..base.dynamo_values import is_unread
from ..capture.identity_guard import decided_by_data, is_symbolic, type_of

BEHIND_KEYS = "[]."  # in front of the method in an action: "[].append"
TABLES = (dict, collections.defaultdict, collections.OrderedDict)
ROWS = (list, collections.deque)
KEYS = (type(None), bool, int, float, str, bytes)


def method_of(action: str) -> str:
    """The method by which a record puts its argument in."""
    return action[len(BEHIND_KEYS) :] if action.startswith(BEHIND_KEYS) else action


def keys_of(current: Any) -> list[Any]:
    """The keys of the record in a traced frame, as Dynamo's variables: the values marked with `k`, which come first."""
    names = current.symbolic_locals
    number = names["numbers"].as_python_constant().count("k")
    return list(names["values"].unpack_var_sequence(current)[:number])


def is_key(variable: Any) -> bool:
    """Whether Dynamo's variable is a number or text that is known before the graph runs; its value is not read."""
    if is_unread(variable) or variable.is_python_constant():
        return type_of(variable) in KEYS
    return is_symbolic(variable) and not decided_by_data(variable)


def containers_behind(target: Any, keys: list[Any]) -> Optional[list[Any]]:
    """The containers that a record behind keys may go through or write to; None if a step may run other code."""
    level, found = [target], []
    for key in keys:
        found += level
        if not is_key(key) or not all(map(has_items, level)):
            return None
        level = [item for container in level for item in items_at(container, key)]
    return found + level if all(type(item) in ROWS for item in level) else None


def has_items(container: Any) -> bool:
    """Whether a container is Python's own, and makes items for missing keys without code of the program."""
    is_own = type(container) in (*TABLES, *ROWS)
    return is_own and getattr(container, "default_factory", None) in (None, dict, *ROWS)


def items_at(container: Any, key: Any) -> list[Any]:
    """The items for which a key may stand: all items if the trace has not read the key."""
    if is_unread(key) or not key.is_python_constant():
        return list(container.values() if isinstance(container, dict) else container)
    container, missing = container_at(container, (key.as_python_constant(),))
    return [] if missing else [container]


# ---- Behind the graph ----


def container_at(target: Any, keys: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """The container behind keys, and nothing; or a container on the way that lacks a key, and the key."""
    for key in keys:
        try:
            if isinstance(target, dict) and key not in target:
                return target, (key,)
            target = target[key]
        except LookupError:
            return target, (key,)
    return target, ()


def is_pythons(target: Any, keys: tuple[Any, ...]) -> bool:
    """Whether a record behind keys runs no code of the program: a missing key ends the way."""
    for key in keys:
        if not has_items(target):
            return False
        target, missing = container_at(target, (key,))
        if missing:
            return True
    return type(target) in ROWS
