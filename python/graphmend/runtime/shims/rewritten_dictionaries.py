"""Dictionaries from before the call whose keys go or move: caches of the least recently used results, queues of jobs.

    self.cache.move_to_end(key)            # behind the graph, the keys of the OrderedDict stand as before
    name, job = self.jobs.popitem()        # the same job in the next call, although another one is the last
    self.results.pop("loss")               # keys that the program adds between two calls are gone

Behind a graph from which a key has gone, Dynamo clears the dictionary and fills in all items of its variable, in the
order of the trace. A key that has only moved is no reason to write. So a dictionary with moved keys is written as well
here. A trace that writes a dictionary as a whole, or that moves a key, even to the place where it stands, gets a guard
on all keys and their order.
"""

from __future__ import annotations

import collections
from typing import Any

from ..base import hooks, trace_state
from ..base.dynamo_values import contents_of

FEATURE = hooks.Feature(__name__, hooks.GUARD, "dictionaries whose keys go or move", partial=True, rules=("GM304",))


class Watched(collections.OrderedDict):  # type: ignore[type-arg]
    """The items of Dynamo's variable of an ordered dictionary, which know whether a key was moved."""

    has_moves = False

    def move_to_end(self, key: Any, last: bool = True) -> None:
        super().move_to_end(key, last)
        self.has_moves = True


@FEATURE.hook("variable.build")
def watch_moves(build: Any, trace: trace_state.Trace, self: Any, value: Any) -> Any:
    """Have moves in an ordered dictionary from before the call noted."""
    if not isinstance(value, collections.OrderedDict):
        return hooks.DECLINED
    from ..base.torch_names import ConstDictVariable

    variable = build(self, value)
    table = contents_of(variable)
    if isinstance(table, ConstDictVariable):
        table.items = Watched(table.items)
    return variable


@FEATURE.hook("effects.codegen")
def write_whole(write: Any, trace: trace_state.Trace, self: Any, cg: Any, *args: Any) -> Any:
    """Write dictionaries with moved keys, and guard the keys of what is written as a whole."""
    from ..base.torch_names import ConstDictVariable, GuardBuilder, install_guard

    for variable in self.id_to_variable.values():
        table = contents_of(variable)
        if not isinstance(table, ConstDictVariable) or variable.source is None or not self.is_modified(table):
            continue
        table.should_reconstruct_all = table.should_reconstruct_all or has_moved(table)
        if (table.should_reconstruct_all and depends_on_keys(table)) or getattr(table.items, "has_moves", False):
            cg.tx.output.guard_on_key_order.add(variable.source)
            install_guard(variable.source.make_guard(GuardBuilder.DICT_KEYS_MATCH))
    return hooks.DECLINED


def has_moved(table: Any) -> bool:
    """Whether keys from before the call stand in another order."""
    before = [id(key) for key in table.original_items]
    after = [id(key.vt) for key in table.items]
    both = set(before) & set(after)
    return [key for key in before if key in both] != [key for key in after if key in both]


def depends_on_keys(table: Any) -> bool:
    """Whether other keys before the call would give other contents: not in a dictionary that has been cleared."""
    before = {id(key) for key in table.original_items}
    return len(before) == 1 or any(id(key.vt) in before for key in table.items)
