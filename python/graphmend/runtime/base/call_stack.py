"""The call stack of a trace: the frames that Dynamo inlines, and the stack under which a deferred effect runs.

A deferred effect runs behind the graph, and its callers have returned by then:

    def forward(self, x):                          # "model.py:12 in forward" is the caller of `warn`
        warnings.warn("negative", stacklevel=2)    # deferred: call_at("7", 2, warnings.warn, "negative", ...)
        return self.layer(x)                       # rebuilds a frame of model.py:12, and warns under the frame

`note_stack` keeps the places of the traced callers under a key. `call_at` adds the real callers of the compiled
function, and calls the sink through one copy of `caller` for each place: a function with the file, name and line of the
place.
"""

from __future__ import annotations

import itertools
import sys
import types
from typing import Any, Optional

from . import folders, trace_state

# Dynamo's own functions that call the function behind a wrapper such as `functools.lru_cache`.
UNWRAPPERS = ("getattr_and_trace", "getattr_and_trace_no_nested_graph_breaks")


def translators(tx: Any) -> Any:
    """The translators of the traced frames, from the innermost frame out."""
    while tx is not None:
        yield tx
        tx = getattr(tx, "parent", None)


def site_at(tx: Any, rule: str, column: int = 0) -> str:
    """The name of a site in the line that is being traced."""
    return trace_state.site_name(tx.f_code.co_filename, tx.lineno, rule, column)


def column_at(tx: Any) -> int:
    """The column at which the traced expression begins; 0 where Python has no positions, as before 3.11."""
    positions = getattr(tx.current_instruction, "positions", None)
    return getattr(positions, "col_offset", None) or 0


def behind_wrapper(tx: Any) -> bool:
    """Whether Dynamo traces the function behind a cache such as `functools.lru_cache`: Python might answer from the
    cache.
    """

    from .torch_names import polyfills

    codes = [getattr(polyfills, name).__code__ for name in UNWRAPPERS if hasattr(polyfills, name)]
    return any(translator.f_code in codes and not is_compiled(translator) for translator in translators(tx))


def is_compiled(translator: Any) -> bool:
    """Whether Dynamo's unwrapping function unwraps a compiled callable, which has no cache."""
    name = translator.symbolic_locals["args"].items[1]
    return bool(name.is_python_constant() and name.as_python_constant() == "_torchdynamo_inline")


# ---- The stack as a deferred effect would have found it ----

Place = tuple[types.CodeType, int, dict[str, Any]]  # a frame: its code, its line, its globals
stacks: dict[str, list[Place]] = {}
numbers = itertools.count()


def is_ours(code: types.CodeType) -> bool:
    """Whether a frame exists only because of the mend."""
    return code.co_filename.startswith((folders.RUNTIME, folders.DYNAMO)) or code.co_name.startswith("_gm_")


def program_frame(tx: Any) -> Any:
    """The translator of the innermost frame of the program; the outermost frame where all frames are of the mend."""
    while is_ours(tx.f_code) and tx.parent is not None:
        tx = tx.parent
    return tx


def note_stack(tx: Any, levels: int, called: bool = False) -> str:
    """Keep the traced callers of the current statement; returns a key for `call_at`.

    With `called`, the statement calls an untraced function, whose callers begin with the statement itself.
    """
    key = str(next(numbers))
    places = [
        (translator.f_code, translator.lineno, translator.f_globals)
        for translator in translators(tx)
        if not is_ours(translator.f_code)
    ]
    stacks[key] = places[: levels - 1] if called else places[1:levels]
    return key


def innermost(error: BaseException) -> Optional[types.TracebackType]:
    """The innermost frame of an error's traceback; None for an error that was never raised."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    return step


def forwards(code: types.CodeType) -> bool:
    """Whether a frame belongs to `Module.__call__`."""
    return code.co_name in ("_wrapped_call_impl", "_call_impl") and code.co_filename.endswith("module.py")


def outer_places(inner: list[Place], count: int) -> list[Place]:
    """The callers of the compiled function in this thread, at most `count`."""
    places: list[Place] = []
    frame: Optional[types.FrameType] = sys._getframe()
    while frame is not None and not (
        frame.f_code.co_name == "call" and frame.f_code.co_filename.startswith(folders.RUNTIME)
    ):
        frame = frame.f_back
    traced = any(forwards(code) for code, _, _ in inner)  # then `Module.__call__` of the compiled module is traced, too
    while frame is not None and len(places) < count:
        code = frame.f_code
        if not is_ours(code) and not (traced and not places and forwards(code)):
            places.append((code, frame.f_lineno, frame.f_globals))
        frame = frame.f_back
    return places


def caller(function: Any, arguments: tuple[Any, ...]) -> Any:
    """The function that every frame of a rebuilt stack runs."""
    return function(*arguments)


def at_place(place: Place) -> Any:
    """`caller` as a function of another file and line."""
    code, line, variables = place
    twin = caller.__code__.replace(co_filename=code.co_filename, co_name=code.co_name, co_firstlineno=max(line - 2, 0))
    if sys.version_info >= (3, 11):
        twin = twin.replace(co_qualname=code.co_qualname)
    return types.FunctionType(twin, variables, code.co_name)


def call_at(key: str, levels: int, sink: Any, *values: Any) -> Any:
    """Call a sink, or another function, under the stack with this key."""
    inner = stacks[key]
    function, arguments = sink, values
    for place in [*inner, *outer_places(inner, levels - 1 - len(inner))]:
        function, arguments = at_place(place), (function, arguments)
    return function(*arguments)
