"""`pickle.dumps` of constants of the trace, as caches make keys of options.

A pickle tells which of its parts are one object. So only what has no two equal parts is pickled here: there it makes no
difference which objects they are.
"""

from __future__ import annotations

import pickle
from typing import Any, Iterator

from ..analysis.impure_functions import is_plain
from ..base import hooks, trace_state
from ..base.dynamo_values import as_constant

FEATURE = hooks.Feature(__name__, hooks.GAIN, "pickles of constants")

OPTIONS = frozenset(["obj", "protocol", "fix_imports"])


@FEATURE.hook("skipped.call")
def fold_pickle(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """The pickle of constants."""
    from ..base.torch_names import ConstantVariable

    if self.value is not pickle.dumps or not kwargs.keys() <= OPTIONS:
        return call(self, tx, args, kwargs)
    try:
        given = [as_constant(item) for item in args]
        named = {name: as_constant(item) for name, item in kwargs.items()}
        parts = list(objects_of([*given, *named.values()]))
        if not (is_plain(given) and is_plain(named)) or len(set(parts)) != len(parts):
            return call(self, tx, args, kwargs)
        return ConstantVariable.create(pickle.dumps(*given, **named))
    except Exception:  # an argument that is no constant, or what `dumps` raises
        return call(self, tx, args, kwargs)


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
