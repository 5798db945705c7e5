"""Numbers in lists that calls append to, read in front of the graph.

    if self.losses and loss > self.losses[-1]:     # the last item of the call before
        print("worse than the best of", min(self.losses))
    self.losses.append(loss)                       # one graph for every length, and for all numbers

An open list (`capture/growing_lists.py`) knows the new items alone. The prologue reads a number from the items before
the call: one of the last items, or the result of `max`, `min` or `sum`. The graph gets the number as a number of the
data. A guard holds the identity of the list, and a call with too short a list runs in another way. Where calls bring a
new list each time, Dynamo guards the length, as without this module.
"""

from __future__ import annotations

import operator
import sys
from typing import Any, Callable, Optional

from ..base import hooks, trace_state
from ..base.dynamo_values import source_name, translator
from ..capture.growing_lists import growth, is_open
from ..capture.identity_guard import type_of
from .external_calls import graph_input
from .prologue import Reading, notes

FEATURE = hooks.Feature(__name__, hooks.GAIN, "numbers in lists that calls append to are read in front of the graph")

NUMBERS = (int, float)


def read_number(variable: Any, read: Callable[[list[Any]], Any]) -> Optional[Any]:
    """Dynamo's variable for a number that a function reads from the items of an open list before the call; None where
    the prologue cannot read the number.
    """
    from ..base.torch_names import GuardBuilder, install_guard

    trace, output = trace_state.local.trace, translator().output
    if trace is None or not trace.whole or trace.open or output.current_tracer.parent is not None:
        return None
    own: list[Any] = output.resolve_source_value(variable.source)
    removed = variable.removed

    def now() -> Any:
        return read(own[removed:] if removed else own)

    try:
        value = now()
    except (IndexError, ValueError, TypeError):
        return None
    reading = Reading(now, [], {}, "", None)
    if type(value) not in NUMBERS or (tensor := reading.tensor(value)) is None:
        return None
    if not growth().known.may_read(source_name(variable.source), id(own)):
        return None
    install_guard(variable.source.make_guard(GuardBuilder.ID_MATCH))
    notes()
    reading.like = tensor
    return graph_input(reading, tensor, False).call_method(output.current_tx, "item", [], {})


def item_from_end(variable: Any, place: int) -> Optional[Any]:
    """Dynamo's variable for one of the last items before the call; `place` is 1 for the last one."""
    return read_number(variable, lambda items: items[-place])


@FEATURE.hook("builtin.call", of=(max, min, sum))
@FEATURE.hook("polyfill.call", needed=False)
def fold_list(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Compute `max`, `min` or `sum` of an open list from the result for the items before the call."""
    if self.fn not in (max, min, sum) or len(args) != 1 or not set(kwargs) <= {"default"}:
        return hooks.DECLINED
    owner = args[0].realize()
    if not is_open(owner):
        return hooks.DECLINED
    if not all(is_number(item) for item in owner.tail) or not folds(self.fn, owner):
        return hooks.DECLINED
    before = read_number(owner, self.fn)
    if before is None:
        return hooks.DECLINED
    if self.fn is not sum:
        return call(self, tx, [before, *owner.tail], {}) if owner.tail else before
    return total(tx, before, owner.tail)


def total(tx: Any, before: Any, tail: list[Any]) -> Any:
    """The sum of a number and of new items, from the left as Python adds."""
    from ..base.torch_names import VariableTracker

    add = VariableTracker.build(tx, operator.add)
    for item in tail:
        before = add.call_function(tx, [before, item], {})
    return before


def folds(function: Any, owner: Any) -> bool:
    """Whether a function of the whole list goes on from the value for the first items: since Python 3.12, `sum` carries
    the rounding errors along.
    """
    if function is not sum or sys.version_info < (3, 12):
        return True
    own = translator().output.resolve_source_value(owner.source)
    return all(type(item) is int for item in own)


def is_number(variable: Any) -> bool:
    """Whether Dynamo's variable is an integer or a float."""
    return type_of(variable) in NUMBERS
