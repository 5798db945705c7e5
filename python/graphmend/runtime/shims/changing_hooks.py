"""Modules with hooks that the program registers and removes between its calls, or in a call.

    def forward(self, x):
        y = self.encoder(x)                                   # the graph has no hook here
        if y.sum() < 0:
            self.encoder.register_forward_hook(rescale)       # runs from the next call on
        return y

Dynamo does not guard that a module has no hooks, to save time. A graph is guarded so if the traced code may change
hooks by its names: the code registers hooks, or looks at the tables of hooks. From the first such code on, all later
graphs of the process are guarded. A call that only removes a hook leaves a graph that Dynamo guards: it had a hook.

A graph with mended places is guarded in any case. Without mends the graph ends there, Python calls the modules around
the place, and hooks that the program registers between two calls run.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Iterator
from typing import Any

from ..base import folders, hooks, torch_names, trace_state

OPTION = "skip_nnmodule_hook_guards"
FEATURE = hooks.Feature(__name__, hooks.GUARD, "hooks of modules that come and go", partial=True)
CHANGING: list[str] = []  # the place of the first code that may change hooks


@FEATURE.scope
def guard_tables(trace: trace_state.Trace) -> Iterator[None]:
    """Let Dynamo guard that modules have no hooks, once code has been seen that may change hooks."""
    with torch_names.dynamo_config.patch({OPTION: getattr(torch_names.dynamo_config, OPTION) and not CHANGING}):
        yield


def guard_graph() -> None:
    """Let Dynamo guard the graph that it traces: it reads the option behind the trace, and the scope puts it back."""
    setattr(torch_names.dynamo_config, OPTION, False)


@FEATURE.hook("inlined.run")
def look_at_code(run: Any, trace: trace_state.Trace, self: Any) -> Any:
    """Look whether the traced code may change hooks; the call of a module is traced like that of a function."""
    for code in () if CHANGING else (self.f_code, self.parent.f_code):
        if not code.co_filename.startswith((folders.TORCH, folders.RUNTIME)) and may_change_hooks(code):
            CHANGING.append(f"{code.co_filename}:{code.co_firstlineno}")
            guard_graph()
            break
    return hooks.DECLINED


@functools.lru_cache(maxsize=4096)
def may_change_hooks(code: types.CodeType) -> bool:
    """Whether code may change the hooks of a module, by its names."""
    if any("hook" in name and name.startswith(("register_", "_")) for name in code.co_names):
        return True
    return any(may_change_hooks(inner) for inner in code.co_consts if isinstance(inner, types.CodeType))
