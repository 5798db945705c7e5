"""Guards on the runtime itself.

Dynamo guards every function, module and constant on the way of a trace, also those of the dialect, which nobody
changes; looking at them takes longer in each call than the call of a small function may. They are dropped. What the
user's program uses is guarded as ever: names of torch and of Python reach the dialect through its own modules, so
that their guards are never those of the program.
"""

from __future__ import annotations

import builtins
import sys
import types
from typing import Any

from ..base import dialect_class, folders, torch_names, trace_state
from ..capture import dialect
from ..effects import deferral

QUEUE = "queue"


def bind_builtins() -> None:
    """Let the dialect find Python's own functions among its globals; Dynamo names them for whoever uses them first."""
    for module in (dialect, deferral):
        for name, value in vars(builtins).items():
            if callable(value) and not name.startswith("_"):
                vars(module).setdefault(name, value)


def is_own_module(value: Any) -> bool:
    """Whether a value is a module of the runtime, or the class by which mended code finds it."""
    if value is dialect_class.Dialect:
        return True
    if not isinstance(value, types.ModuleType):
        return False
    name = value.__name__
    return (name == folders.PACKAGE or name.startswith(folders.PACKAGE + ".")) and sys.modules.get(name) is value


class Sources:
    """What the sources of a trace stand for, as far as they lead through modules to functions."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names

    def value(self, source: Any) -> Any:
        """The global, or attribute of a module, that a source names; None for everything else."""
        if isinstance(source, torch_names.GlobalSource):
            return self.names.get(source.global_name)
        if type(source) is torch_names.AttrSource:
            base = self.value(source.base)
            return vars(base).get(source.member) if isinstance(base, types.ModuleType) else None
        if getattr(source, "index", None) == dialect_class.NAME:
            return self.builtin(source)
        return None

    def builtin(self, source: Any) -> Any:
        """The class of the dialect, if a source names it among the builtins."""
        if not isinstance(source.base, torch_names.GlobalSource):
            return None
        return dialect_class.Dialect if self.names.get(source.base.global_name) is vars(builtins) else None

    def is_own(self, source: Any) -> bool:
        """Whether a source is a module of ours, what such a module holds, or a part of a function that it holds.

        So is the list of deferred work: it is empty whenever a graph starts.
        """
        if is_own_module(self.value(source)):
            return True
        base = getattr(source, "base", None)
        if base is None:
            return False
        if is_own_module(self.value(base)):
            return True
        if getattr(base, "base", None) is None or not is_own_module(self.value(base.base)):
            return False
        held = self.value(base)
        return isinstance(held, types.FunctionType) or (held is trace_state.local and source.member == QUEUE)


def drop(output: Any) -> None:
    """Drop the guards of a trace that look at the runtime."""
    sources = Sources(output.global_scope)
    guards = output.guards
    kept = [guard for guard in guards if is_relation(guard) or not sources.is_own(guard.originating_source)]
    if len(kept) < len(guards):
        output.tracing_context.guards_context.dynamo_guards = type(guards)(type(guards.inner)(kept))


def is_relation(guard: Any) -> bool:
    """Whether a guard compares one object with another, which may be the user's."""
    return bool(guard.create_fn_name() == "DUPLICATE_INPUT")
