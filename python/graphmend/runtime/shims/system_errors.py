"""The class of `OSError(errno, text)`: Python makes an object of the subclass that belongs to the number.

    try:
        raise OSError(errno.ENOENT, "no such file")
    except FileNotFoundError:          # Dynamo raises an OSError, and goes on to the next handler
        ...

The class of the number is called in its place. A number that data decide, and further arguments, are left to Python.
"""

from __future__ import annotations

from typing import Any

from ..base import hooks, trace_state
from ..capture.trace_time import leave_to_python

FEATURE = hooks.Feature(__name__, hooks.GUARD, "classes of system errors", partial=True)


@FEATURE.hook("builtin.call", of=(OSError,))
def make_error(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Make the error of a number."""
    from ..base.torch_names import VariableTracker

    if len(args) < 2:
        return hooks.DECLINED
    number = args[0].realize()
    if len(args) > 2 or not number.is_python_constant():
        leave_to_python(trace, "a system error whose class depends on its arguments")
    kind = type(OSError(number.as_python_constant(), ""))
    return hooks.DECLINED if kind is OSError else VariableTracker.build(tx, kind).call_function(tx, list(args), kwargs)
