"""Generators that a whole call leaves in the middle.

Python closes such a generator when nobody holds it any more, and runs its `finally` and the ends of its `with`. Dynamo
forgets it. Where frames are compiled one by one the generator is mostly Python's own, so a call that has become one
graph must not lose what it does last.

A generator that leaves the call runs when the caller asks for its values. Dynamo runs it to its end within the call, so
nothing is mended there.
"""

from __future__ import annotations

import builtins
import dis
from typing import Any

from ..base import folders, hooks, torch_names, trace_state
from ..capture import trace_time

FEATURE = hooks.Feature(__name__, hooks.GUARD, "generators that Dynamo runs to their ends", partial=True, state=list)

# What stands in the code of `with`, and in that of `try` before Python 3.11.
BLOCKS = frozenset(("SETUP_FINALLY", "SETUP_WITH", "BEFORE_WITH", "LOAD_SPECIAL"))


@FEATURE.hook("generator.create")
def note_generator(make: Any, trace: trace_state.Trace, self: Any, *args: Any, **kwargs: Any) -> None:
    """Note a generator that the trace makes."""
    make(self, *args, **kwargs)
    FEATURE.of(trace).append(self)


@FEATURE.hook("generator.rebuild", "generator.drain")
def note_drain(run: Any, trace: trace_state.Trace, *args: Any) -> None:
    """Note that Dynamo runs a generator that leaves the call."""
    with trace_time.FEATURE.of(trace).draining():
        run(*args)


def refuse_unclosed(trace: trace_state.Trace, output: Any) -> None:
    """Refuse a graph whose call leaves a generator that would do something when it is closed."""
    for generator in FEATURE.of(trace):
        if (
            generator.inline_tracer.output is not output
            or getattr(generator, torch_names.method("generator_exhausted"))()
        ):
            continue
        if does_something_at_its_end(generator.code):
            raise trace_state.SiteRefused(f"the generator `{generator.code.co_name}` is left in the middle")


def does_something_at_its_end(code: Any) -> bool:
    """Whether closing a generator may run more of its code: `with`, or `try` that does not only catch some errors."""
    if code.co_filename.startswith(folders.TORCH):
        return False
    instructions = [item for item in dis.get_instructions(code) if item.opname not in ("CACHE", "EXTENDED_ARG")]
    for item, caught, test in zip(instructions, instructions[1:], instructions[2:]):
        if item.opname in BLOCKS:
            return True
        if item.opname == "PUSH_EXC_INFO" and not (test.opname == "CHECK_EXC_MATCH" and catches_errors(caught)):
            return True
    return False


def catches_errors(instruction: dis.Instruction) -> bool:
    """Whether what an instruction loads is an exception that is none of `GeneratorExit`."""
    found = getattr(builtins, str(instruction.argval), None)
    return instruction.opname == "LOAD_GLOBAL" and isinstance(found, type) and issubclass(found, Exception)
