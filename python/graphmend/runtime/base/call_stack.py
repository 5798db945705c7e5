"""The functions through which a trace has come to the place where it is."""

from __future__ import annotations

import itertools
import sys
import types
from typing import Any

from . import folders, trace_state

# Dynamo's own function that calls what is behind a wrapper such as `functools.lru_cache`.
UNWRAPPERS = ("getattr_and_trace", "getattr_and_trace_no_nested_graph_breaks")


def translators(tx: Any) -> Any:
    """The translators of the frames being traced, from the innermost one out."""
    while tx is not None:
        yield tx
        tx = getattr(tx, "parent", None)


def site_at(tx: Any, rule: str, column: int = 0) -> str:
    """The name of the site in the line that is being traced."""
    return trace_state.site_name(tx.f_code.co_filename, tx.lineno, rule, column)


def column_at(tx: Any) -> int:
    """Where the expression that is being traced begins in its line; 0 where Python does not tell, as before 3.11."""
    positions = getattr(tx.current_instruction, "positions", None)
    return getattr(positions, "col_offset", None) or 0


def behind_wrapper(tx: Any) -> bool:
    """Whether the trace looks behind a wrapper that Python asks, and that might answer from its cache."""

    from .torch_names import polyfills

    codes = [getattr(polyfills, name).__code__ for name in UNWRAPPERS if hasattr(polyfills, name)]
    return any(translator.f_code in codes and not is_compiled(translator) for translator in translators(tx))


def is_compiled(translator: Any) -> bool:
    """Whether Dynamo's function calls what is behind a compiled callable, which has no answers of its own."""
    name = translator.symbolic_locals["args"].items[1]
    return bool(name.is_python_constant() and name.as_python_constant() == "_torchdynamo_inline")


# ---- The stack as a deferred effect would have found it ----

Place = tuple[types.CodeType, int, dict]  # a frame: its code, its line, its globals
stacks: dict[str, list[Place]] = {}
numbers = itertools.count()


def is_ours(code: types.CodeType) -> bool:
    """Whether a frame is only there because of the mend."""
    return code.co_filename.startswith((folders.RUNTIME, folders.DYNAMO)) or code.co_name.startswith("_gm_")


def note_stack(tx: Any, levels: int, called: bool = False) -> str:
    """Remember the callers of the statement being traced, as far as they are traced themselves; returns a key.

    A statement that is `called` belongs to a function that the traced statement calls, without being traced itself.
    """
    key = str(next(numbers))
    places = [(found.f_code, found.lineno, found.f_globals) for found in translators(tx) if not is_ours(found.f_code)]
    stacks[key] = places[: levels - 1] if called else places[1:levels]
    return key


def forwards(code: types.CodeType) -> bool:
    """Whether a frame is that of `Module.__call__`."""
    return code.co_name in ("_wrapped_call_impl", "_call_impl") and code.co_filename.endswith("module.py")


def outer_places(inner: list[Place], count: int) -> list[Place]:
    """The callers of the compiled function that runs in this thread."""
    places: list[Place] = []
    frame = sys._getframe()
    while frame is not None and not (
        frame.f_code.co_name == "call" and frame.f_code.co_filename.startswith(folders.RUNTIME)
    ):
        frame = frame.f_back
    traced = any(forwards(code) for code, _, _ in inner)  # then the frames of the wrapping module come on top
    while frame is not None and len(places) < count:
        code = frame.f_code
        if not is_ours(code) and not (traced and not places and forwards(code)):
            places.append((code, frame.f_lineno, frame.f_globals))
        frame = frame.f_back
    return places


def caller(function: Any, arguments: tuple) -> Any:
    """What every frame of a rebuilt stack runs."""
    return function(*arguments)


def at_place(place: Place) -> Any:
    """`caller` as a function of another file, at another line."""
    code, line, variables = place
    names = {"co_filename": code.co_filename, "co_name": code.co_name, "co_firstlineno": max(line - 2, 0)}
    if hasattr(code, "co_qualname"):
        names["co_qualname"] = code.co_qualname
    return types.FunctionType(caller.__code__.replace(**names), variables, code.co_name)


def call_at(key: str, levels: int, sink: Any, *values: Any) -> Any:
    """Call a sink, or another function, under the stack that was noted under a key."""
    inner = stacks[key]
    function, arguments = sink, values
    for place in [*inner, *outer_places(inner, levels - 1 - len(inner))]:
        function, arguments = at_place(place), (function, arguments)
    return function(*arguments)
