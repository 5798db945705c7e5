"""Guards on the runtime itself, removed from Dynamo's guards.

Dynamo guards every function, module and constant of a trace, functions of the dialect included:

    G['_gm'].branch is <function branch>    # removed: nobody changes the runtime
    G['torch'].relu is <function relu>      # kept: the user's program names torch

A check of all guards takes longer in each call than a small function. Guards of the user's program stay: the dialect
reaches names of torch and Python through modules of the runtime, so the guards of program and runtime never coincide.
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
PARTS_OF_FUNCTIONS = frozenset(["__func__", "__code__", "__defaults__", "__kwdefaults__", "__closure__"])


def bind_builtins() -> None:
    """Put Python's own functions among the globals of the dialect: Dynamo names a builtin after the first user."""
    for module in (dialect, deferral):
        for name, value in vars(builtins).items():
            if callable(value) and not name.startswith("_"):
                vars(module).setdefault(name, value)


def is_own_module(value: Any) -> bool:
    """Whether a value is a module of the runtime, or the class by which mended code finds the runtime."""
    if value is dialect_class.Dialect:
        return True
    if not isinstance(value, types.ModuleType):
        return False
    name = value.__name__
    return (name == folders.PACKAGE or name.startswith(folders.PACKAGE + ".")) and sys.modules.get(name) is value


class Sources:
    """The objects behind the sources of a trace, for sources that lead through modules to functions."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names

    def value(self, source: Any) -> Any:
        """The global or the attribute of a module behind a source; None for all further sources."""
        if isinstance(source, torch_names.GlobalSource):
            return self.names.get(source.global_name)
        if type(source) is torch_names.AttrSource:
            base = self.value(source.base)
            return vars(base).get(source.member) if isinstance(base, types.ModuleType) else None
        if getattr(source, "index", None) == dialect_class.NAME:
            return self.builtin(source)
        return None

    def builtin(self, source: Any) -> Any:
        """The class of the dialect, if the source is the builtin of the dialect."""
        if not isinstance(source.base, torch_names.GlobalSource):
            return None
        return dialect_class.Dialect if self.names.get(source.base.global_name) is vars(builtins) else None

    def is_code_of_dialect(self, source: Any) -> bool:
        """Whether a source leads from the class of the dialect to a function, or to a part of a function.

        Dynamo reads a static method from the dictionary of a class:
        `dict(_gm.__dict__)['branch'].__func__.__code__`.
        """
        members = []
        while getattr(source, "base", None) is not None:
            members.append(getattr(source, "member", None))
            source = source.base
            if self.value(source) is dialect_class.Dialect:
                return all(member is None or member in PARTS_OF_FUNCTIONS for member in members)
        return False

    def is_own(self, source: Any) -> bool:
        """Whether a source is a module of the runtime, a member of the module, or a part of a member function.

        The effect queue counts as a part: the queue is empty at the start of every graph.
        """
        if is_own_module(self.value(source)):
            return True
        if self.is_code_of_dialect(source):
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
    """Remove the guards of a trace on the runtime."""
    sources = Sources(output.global_scope)
    guards = output.guards
    kept = [guard for guard in guards if not all(map(sources.is_own, sources_of(guard)))]
    if len(kept) < len(guards):
        output.tracing_context.guards_context.dynamo_guards = type(guards)(type(guards.inner)(kept))


def sources_of(guard: Any) -> list[Any]:
    """The source of a guard; both sources of a guard that compares two objects, for one may belong to the user."""
    if guard.create_fn_name() != "DUPLICATE_INPUT":
        return [guard.originating_source]
    other = getattr(guard.create_fn, "keywords", {}).get("source_b")
    return [guard.originating_source, other]
