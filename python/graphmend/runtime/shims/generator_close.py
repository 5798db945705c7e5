"""Generators left in the middle, and generators that leave the call.

    def batches(lock):
        with lock:                    # Python leaves the block when the generator object dies
            yield from range(9)
    first = next(batches(lock))       # a whole call has to release the lock

Python closes an abandoned generator, and runs its `finally` and the ends of its `with` blocks. Dynamo forgets the
generator. A whole graph with an abandoned generator is refused. A generator returned from the call runs when the caller
asks for its values, but Dynamo runs the generator to its end within the call; no mend is in force there.
"""

from __future__ import annotations

import builtins
import dataclasses
import dis
import sys
from typing import Any

from ..base import folders, hooks, torch_names, trace_state
from ..capture import trace_time


@dataclasses.dataclass
class Generators:
    """The generators of one trace."""

    made: list[Any] = dataclasses.field(default_factory=list)
    storing: bool = False  # Dynamo is writing code that changes objects from before the call


FEATURE = hooks.Feature(
    __name__, hooks.GUARD, "generators that Dynamo runs to their ends", partial=True, state=Generators
)

# Instructions of `with`, and of `try` before Python 3.11.
BLOCKS = frozenset(("SETUP_FINALLY", "SETUP_WITH", "BEFORE_WITH", "LOAD_SPECIAL"))


@FEATURE.hook("generator.create")
def note_generator(make: Any, trace: trace_state.Trace, self: Any, *args: Any, **kwargs: Any) -> None:
    """Note a generator made by the trace."""
    make(self, *args, **kwargs)
    FEATURE.of(trace).made.append(self)


@FEATURE.hook("generator.drain")
def note_drain(run: Any, trace: trace_state.Trace, *args: Any) -> None:
    """Note that Dynamo is running a generator returned from the call."""
    with trace_time.FEATURE.of(trace).draining():
        run(*args)


@FEATURE.hook("generator.rebuild")
def refuse_kept(run: Any, trace: trace_state.Trace, self: Any, codegen: Any) -> None:
    """Refuse a graph that leaves a generator in an object: Dynamo would put an iterator over all values there."""
    if FEATURE.of(trace).storing:
        trace_time.leave_frame_to_python(trace, f"the generator `{self.code.co_name}` is kept")
    with trace_time.FEATURE.of(trace).draining():
        run(self, codegen)


@FEATURE.hook("effects.codegen")
def note_storing(write: Any, trace: trace_state.Trace, self: Any, cg: Any, *args: Any, **kwargs: Any) -> Any:
    """Note that Dynamo is writing code that changes objects."""
    generators = FEATURE.of(trace)
    generators.storing = True
    try:
        return write(self, cg, *args, **kwargs)
    finally:
        generators.storing = False


@FEATURE.hook("generator.step")
def forbid_stop(run: Any, trace: trace_state.Trace, self: Any) -> Any:
    """Refuse a generator whose code lets a StopIteration out: Python makes it a RuntimeError (PEP 479).

    Since Python 3.12 the code of the generator does so itself.
    """
    if sys.version_info >= (3, 12) or not trace.whole or not hasattr(self, "generator_exhausted"):
        return hooks.DECLINED
    try:
        return run(self)
    except torch_names.ObservedUserStopIteration:
        if not self.generator_exhausted:
            raise trace_state.SiteRefused(f"StopIteration leaves the code of `{self.f_code.co_name}`") from None
        raise


def refuse_unclosed(trace: trace_state.Trace, output: Any) -> None:
    """Refuse a graph whose call abandons a generator with code to run at its end."""
    for generator in FEATURE.of(trace).made:
        if (
            generator.inline_tracer.output is not output
            or getattr(generator, torch_names.method("generator_exhausted"))()
        ):
            continue
        if does_something_at_its_end(generator.code):
            raise trace_state.SiteRefused(f"the generator `{generator.code.co_name}` is left in the middle")


def does_something_at_its_end(code: Any) -> bool:
    """Whether closing a generator may run its code: a `with`, or a `try` with more than handlers of plain errors."""
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
    """Whether an instruction loads an exception class that does not catch `GeneratorExit`."""
    value = getattr(builtins, str(instruction.argval), None)
    return instruction.opname == "LOAD_GLOBAL" and isinstance(value, type) and issubclass(value, Exception)
