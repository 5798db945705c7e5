"""Integers that a call counts: numbers of the graph once they have changed.

Dynamo takes the integers of modules and globals for constants. A graph that looks at a counter and changes it would be
for one call alone, and after eight graphs there is none. Those that a graph writes to are left open in later traces, as
the integers in arguments are.
"""

from __future__ import annotations

from typing import Any, Iterator

from . import state


@state.in_whole_calls
def counters_opened(trace: state.Trace) -> Iterator[None]:
    """Let a trace inside the block leave the integers open that `trace.counters` names."""
    from torch._dynamo.variables import builder

    specialized = builder.is_int_specialization_case

    def asked(value: Any, source: Any) -> bool:
        if type(value) is int and is_counter(trace, source):
            trace.counting = True
            return False
        return bool(specialized(value, source))

    with state.replaced((builder, "is_int_specialization_case", asked)):
        yield


def is_counter(trace: state.Trace, source: Any) -> bool:
    """Whether an earlier graph has written to what Dynamo finds at a source, or to the container that it is in."""
    return source.name in trace.counters or inside(getattr(source, "base", None)) in trace.counters


def inside(source: Any) -> str:
    """What stands for the items of a container, among the names of sources."""
    return f"{getattr(source, 'name', '')}[]"


def note_written(trace: state.Trace, output: Any) -> None:
    """Note the integers that a graph writes to, and the containers."""
    from torch._dynamo.source import AttrSource
    from torch._dynamo.variables import ConstDictVariable, ListVariable, UserDefinedClassVariable
    from torch._dynamo.variables.misc import NewGlobalVariable

    effects = output.side_effects
    for variable in effects.id_to_variable.values():
        if variable.source is not None and isinstance(variable, (ConstDictVariable, ListVariable)):
            if effects.is_modified(variable):
                trace.written.add(inside(variable.source))
    for variable, changes in effects.store_attr_mutations.items():
        if variable.source is None or isinstance(variable, UserDefinedClassVariable):
            continue  # Dynamo has two names for what a class holds
        for name, value in changes.items():
            if is_integer(value):
                own = isinstance(variable, NewGlobalVariable)
                trace.written.add(variable.source.name if own else AttrSource(variable.source, name).name)


def is_integer(variable: Any) -> bool:
    """Whether Dynamo's variable is an integer."""
    try:
        return variable.python_type() is int
    except NotImplementedError:
        return False
