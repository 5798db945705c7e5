"""The ends of generators: the value of `yield from`, and exceptions that leave a generator through `throw()`.

    def batches(rows):
        for row in rows:
            yield row
        return len(rows)

    count = yield from batches(rows)      # Dynamo takes None for the value of every `yield from`

    steps.throw(ValueError("stop"))       # raises the exception, and ends the generator
    next(steps, None)                     # Dynamo goes on behind the last `yield`

Before torch 2.14, Dynamo drops the value of the StopIteration at the end of a `yield from`, and keeps the exception as
the current exception. After an uncaught `throw()`, Dynamo goes on with the generator. Two cases are left to Python:
generators that catch the exception and yield again, where Dynamo raises a second exception for handlers to catch; and
`raise StopIteration` in a generator, a RuntimeError in Dynamo even where the generator catches the exception (PEP 479).
"""

from __future__ import annotations

from typing import Any

from ..base import hooks, trace_state
from ..capture.trace_time import leave_to_python

FEATURE = hooks.Feature(__name__, hooks.GUARD, "ends of generators", partial=True)
RAISES = "_raise_exception_variable"  # the function of Dynamo that raises the RuntimeError instead


@FEATURE.hook("translator.jump")
def end_of_yield_from(jump: Any, trace: trace_state.Trace, self: Any, instruction: Any) -> Any:
    """Put the value of the StopIteration on the stack where a `yield from` ends: Dynamo jumps behind its loop."""
    if getattr(instruction, "opname", None) != "SEND":
        return hooks.DECLINED
    ending = getattr(self.exn_vt_stack, "_current_exception", None)
    if ending is not None and issubclass(ending.python_type(), StopIteration):
        self.exn_vt_stack.clear_current_exception()
        if ending.args:
            self.stack[-1] = ending.args[0]
    return hooks.DECLINED


@FEATURE.hook("builtin.call", of=(RuntimeError,))
def leave_raised_stop(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Leave a StopIteration that the code of a generator raises to Python."""
    if not args and hooks.calling_frame().f_code.co_name == RAISES:
        leave_to_python(trace, "a StopIteration raised in a generator")
    return hooks.DECLINED


@FEATURE.hook("generator.method", needed=False)
def end_by_exception(
    method: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any
) -> Any:
    """End a generator behind an uncaught `throw()`."""
    if name != "throw":
        return hooks.DECLINED
    try:
        method(self, tx, name, args, kwargs)
    except Exception:
        self.inline_tracer.generator_exhausted = True
        raise
    leave_to_python(trace, f"the generator `{self.code.co_name}` goes on behind an exception")
