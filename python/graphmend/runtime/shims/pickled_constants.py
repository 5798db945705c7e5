"""`pickle.dumps` and `pickle.loads` of constants of the trace, as caches make keys and copies of options.

A pickle tells which of its parts are one object. So only what has no two equal parts is pickled here: there it makes no
difference which objects they are. What is read names no part twice, and calls nothing.
"""

from __future__ import annotations

import pickle
import pickletools
from typing import Any, Iterator

from ..base import hooks, trace_state
from .constant_folding import folded

FEATURE = hooks.Feature(__name__, hooks.GAIN, "pickles of constants")

# Steps of a pickle that call or name something, or load a part once more.
OTHER_STEPS = frozenset(
    "GET BINGET LONG_BINGET DUP GLOBAL STACK_GLOBAL REDUCE BUILD INST OBJ NEWOBJ NEWOBJ_EX EXT1 EXT2 EXT4 PERSID "
    "BINPERSID NEXT_BUFFER".split()
)
OPTIONS = frozenset(["obj", "protocol", "fix_imports"])


@FEATURE.hook("skipped.call")
def fold_pickle(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """The pickle of constants, and what is in one."""
    if self.value is pickle.loads and len(args) == 1 and not kwargs:
        found = folded(tx, loaded, args, kwargs)
    else:
        known = self.value is pickle.dumps and kwargs.keys() <= OPTIONS
        found = folded(tx, dumped, args, kwargs) if known else None
    return call(self, tx, args, kwargs) if found is None else found


def dumped(*args: Any, **kwargs: Any) -> bytes:
    """The pickle of constants; raises ValueError where two parts are equal."""
    parts = list(objects_of([*args, *kwargs.values()]))
    if len(set(parts)) != len(parts):
        raise ValueError("equal parts")
    return pickle.dumps(*args, **kwargs)


def loaded(data: Any) -> Any:
    """What is in a pickle; raises ValueError where reading it does more than to make objects, each of them once."""
    if type(data) is not bytes or any(step.name in OTHER_STEPS for step, _, _ in pickletools.genops(data)):
        raise ValueError("more than objects of its own")
    return pickle.loads(data)


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
