"""Functions that choose code by the class of an argument: `functools.singledispatch`.

    @functools.singledispatch
    def reduce(how, x): ...

    reduce("mean", x)       # wrapper(*args): dispatch(args[0].__class__)(*args)

`dispatch` searches a table of weak references and composes an order of base classes; Dynamo can follow neither. Python
makes the search while the call is traced, and the trace reads the function that was found from the table of registered
functions. Guards on the keys of the table hold until somebody registers a further function.
"""

from __future__ import annotations

import abc
import functools
from typing import Any, Optional

from ..base import hooks, trace_state

FEATURE = hooks.Feature(__name__, hooks.GAIN, "functools.singledispatch")

DISPATCH = functools.singledispatch(print).dispatch.__code__
TABLE = DISPATCH.co_freevars.index("registry")


@FEATURE.hook("function.call")
def dispatch(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Dynamo's variable of the function for a class."""
    from ..base.torch_names import AttrSource, GetItemSource, VariableTracker

    function: Any = getattr(self, "fn", None)
    if getattr(function, "__code__", None) is not DISPATCH or len(args) != 1 or kwargs or self.source is None:
        return hooks.DECLINED
    wanted, table = class_of(args[0]), function.__closure__[TABLE].cell_contents
    if wanted is None or any(isinstance(key, abc.ABCMeta) for key in table):  # further classes may join an abstract one
        return hooks.DECLINED
    found = function(wanted)
    key = next(key for key, registered in table.items() if registered is found)
    cell = GetItemSource(AttrSource(self.source, "__closure__"), TABLE)
    registry = VariableTracker.build(tx, table, AttrSource(cell, "cell_contents"))
    return registry.call_method(tx, "__getitem__", [VariableTracker.build(tx, key)], {})


def class_of(variable: Any) -> Optional[type]:
    """The class that a variable stands for; None for other variables."""
    from ..base.torch_names import SymNodeVariable

    variable = variable.realize()
    owner = getattr(variable, "obj", None)
    if isinstance(owner, SymNodeVariable) and getattr(variable, "name", None) == "__class__":
        kind: type = owner.python_type()
        return kind
    value = variable.as_python_constant() if variable.is_python_constant() else getattr(variable, "value", None)
    return value if isinstance(value, type) else None
