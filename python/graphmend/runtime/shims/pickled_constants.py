"""`pickle.dumps` and `pickle.loads` of constants, as caches use for keys and copies.

    key = pickle.dumps((self.mode, self.sizes))     # a constant of the trace

A pickle shows which of its parts are the same object, and the trace does not know that. Only values without two equal
parts are pickled here: for them, identity makes no difference. A pickle is read only if its steps
make plain objects, each of them once.
"""

from __future__ import annotations

import pickle
import pickletools
from typing import Any, Iterator

from ..base import hooks, trace_state
from .constant_folding import fold_call

FEATURE = hooks.Feature(__name__, hooks.GAIN, "pickles of constants")

# Steps of a pickle that call or name something, or load a part once more.
OTHER_STEPS = frozenset(
    "GET BINGET LONG_BINGET DUP GLOBAL STACK_GLOBAL REDUCE BUILD INST OBJ NEWOBJ NEWOBJ_EX EXT1 EXT2 EXT4 PERSID "
    "BINPERSID NEXT_BUFFER".split()
)
OPTIONS = frozenset(["obj", "protocol", "fix_imports"])


@FEATURE.hook("skipped.call")
def fold_pickle(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Fold the pickle of constants, and the content of a constant pickle."""
    if self.value is pickle.loads and len(args) == 1 and not kwargs:
        result = fold_call(tx, load_constants, args, kwargs)
    else:
        is_supported = self.value is pickle.dumps and kwargs.keys() <= OPTIONS
        result = fold_call(tx, dump_constants, args, kwargs) if is_supported else None
    return hooks.DECLINED if result is None else result


def dump_constants(*args: Any, **kwargs: Any) -> bytes:
    """The pickle of constants; raises ValueError where two parts are equal."""
    parts = list(objects_of([*args, *kwargs.values()]))
    if len(set(parts)) != len(parts):
        raise ValueError("equal parts")
    return pickle.dumps(*args, **kwargs)


def load_constants(data: Any) -> Any:
    """The content of a pickle; raises ValueError for steps that call something or repeat a part."""
    if type(data) is not bytes or any(step.name in OTHER_STEPS for step, _, _ in pickletools.genops(data)):
        raise ValueError("more than objects of its own")
    return pickle.loads(data)


def objects_of(values: Any) -> Iterator[str]:
    """The text of each part with an identity in the pickle: all but numbers, None and the empty tuple."""
    for value in values:
        if type(value) in (str, bytes, list, dict, range) or (type(value) is tuple and value):
            yield repr(value)
        if type(value) is dict:
            yield from objects_of(value.keys())
            yield from objects_of(value.values())
        elif type(value) in (tuple, list):
            yield from objects_of(value)
