"""Generators that a whole call leaves in the middle.

Python closes such a generator when nobody holds it any more, and runs its `finally` and the ends of its `with`. Dynamo
forgets it. Where frames are compiled one by one the generator is mostly Python's own, so a call that has become one
graph must not lose what it does last.
"""

from __future__ import annotations

import contextlib
import dis
from typing import Any, Iterator

from . import state

# What stands in the code of `try` and `with`, by version of Python.
CLEANING = frozenset(("PUSH_EXC_INFO", "SETUP_FINALLY", "SETUP_WITH", "BEFORE_WITH", "SETUP_CLEANUP"))


@contextlib.contextmanager
def generators_noted(trace: state.Trace) -> Iterator[None]:
    """Note the generators that a trace of a whole call makes."""
    if not trace.whole:
        yield
        return
    from torch._dynamo.variables.functions import LocalGeneratorObjectVariable

    make = LocalGeneratorObjectVariable.__init__

    def making(self: Any, *args: Any, **kwargs: Any) -> None:
        make(self, *args, **kwargs)
        trace.generators.append(self)

    LocalGeneratorObjectVariable.__init__ = making
    try:
        yield
    finally:
        LocalGeneratorObjectVariable.__init__ = make


def refuse_unclosed(trace: state.Trace, output: Any) -> None:
    """Refuse a graph whose call leaves a generator that would do something when it is closed."""
    for generator in trace.generators:
        if generator.inline_tracer.output is not output or generator._is_generator_exhausted():
            continue
        if any(instruction.opname in CLEANING for instruction in dis.get_instructions(generator.code)):
            raise state.SiteRefused(f"the generator `{generator.code.co_name}` is left in the middle")
