"""`pickle.dumps` of constants of the trace, as caches make keys of options.

A pickle tells which of its parts are one object. So only what has no two equal parts is pickled here: there it makes no
difference which objects they are.
"""

from __future__ import annotations

import pickle
from typing import Any, Iterator

from ..base import hooks, trace_state
from .constant_folding import folded

FEATURE = hooks.Feature(__name__, hooks.GAIN, "pickles of constants")

OPTIONS = frozenset(["obj", "protocol", "fix_imports"])


@FEATURE.hook("skipped.call")
def fold_pickle(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """The pickle of constants."""
    known = self.value is pickle.dumps and kwargs.keys() <= OPTIONS
    found = folded(tx, dumped, args, kwargs) if known else None
    return call(self, tx, args, kwargs) if found is None else found


def dumped(*args: Any, **kwargs: Any) -> bytes:
    """The pickle of constants; raises ValueError where two parts are equal."""
    parts = list(objects_of([*args, *kwargs.values()]))
    if len(set(parts)) != len(parts):
        raise ValueError("equal parts")
    return pickle.dumps(*args, **kwargs)


def objects_of(values: Any) -> Iterator[str]:
    """Texts of the parts of which a pickle tells the identity: all but numbers, None and the empty tuple."""
    for value in values:
        if type(value) in (str, bytes, list, dict, range) or (type(value) is tuple and value):
            yield repr(value)
        if type(value) is dict:
            yield from objects_of(value.keys())
            yield from objects_of(value.values())
        elif type(value) in (tuple, list):
            yield from objects_of(value)
