"""Dynamo's work in order: graphs, breaks, skipped frames, recompilations.

No counter of Dynamo is complete. Breaks are read from the `graph_breaks` log, the only place with a record for each
break. Frames are read from the results of conversions: a skipped frame leaves neither a graph nor a counted break.
Graphs are read from the installed code: failed attempts compile graphs, too. The program notices no change: log records
are read on their way, at any level and with any handlers.
"""

from __future__ import annotations

import functools
import logging
import os
import re
import sys
import threading
from typing import Any, Callable, Optional

from graphmend.runtime.base import torch_names

from .values import TORCH_FOLDER

OUR_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
ARTIFACT = ".__graph_breaks"

BREAK_AT = re.compile(r"in user code at (.*?):(\d+)\s*$", re.MULTILINE)
REASON = re.compile(r"^Graph Break Reason: (.*)$", re.MULTILINE)
# What Dynamo calls the kind of the break stands above its first explanation.
KIND = re.compile(r"^(?:Graph Break Reason: )?(\S.*)\n\s*Explanation: (.*)$", re.MULTILINE)
BREAK_ID = re.compile(r"/gb/?gb(\d+)|\b(GB\d{4})\b", re.IGNORECASE)
PLACE = re.compile(r'^\s*File "(.*)", line (\d+)', re.MULTILINE)
# Frames that Dynamo never wanted, as against those that it gave up.
GIVEN_UP = ("an error was suppressed", "compilation failed")


class Local(threading.local):
    """Graphs of the conversion in progress in this thread."""

    def __init__(self) -> None:
        self.graphs: Optional[list[dict[str, Any]]] = None
        self.lowered: Optional[int] = None  # operations of the graph that our runtime has just lowered


local = Local()


def place_of_break(message: str) -> tuple[Optional[str], Optional[int]]:
    """File and line of a break: the innermost line of the user's."""
    found = BREAK_AT.search(message)
    if found is not None:
        return found.group(1), int(found.group(2))
    places = [match for match in PLACE.findall(message) if not match[0].startswith(TORCH_FOLDER)]
    return (places[-1][0], int(places[-1][1])) if places else (None, None)


def describe_break(message: str) -> dict[str, Any]:
    """What a record of the log says of a break."""
    file, line = place_of_break(message)
    kind, reason, number = KIND.search(message), REASON.search(message), BREAK_ID.search(message)
    text = reason.group(1) if reason is not None else message.strip().partition("\n")[0]
    name = None
    if number is not None:
        name = f"GB{number.group(1)}" if number.group(1) else number.group(2).upper()
    return {
        "file": file,
        "line": line,
        "break_id": name,
        "reason": (text if kind is None else kind.group(1)).strip()[:300],
        "explanation": None if kind is None else kind.group(2).strip()[:500],
    }


def listen(logger: logging.Logger, tell: Callable[[str], None]) -> None:
    """Read all records of a logger; records below the level of the program end here."""
    is_enabled, pass_on = logger.isEnabledFor, logger.callHandlers

    def isEnabledFor(level: int) -> bool:
        return True

    def callHandlers(record: logging.LogRecord) -> None:
        tell(record.getMessage())
        if is_enabled(record.levelno):
            pass_on(record)

    logger.isEnabledFor = isEnabledFor  # type: ignore[method-assign]
    logger.callHandlers = callHandlers  # type: ignore[method-assign]


def count_operations(module: Any) -> int:
    """How many operators a graph calls."""
    return sum(node.op.startswith("call_") for node in module.graph.nodes)


def lines_of(module: Any) -> list[dict[str, Any]]:
    """The user's lines behind a graph, by file."""
    found: dict[str, tuple[int, int]] = {}
    for node in module.graph.nodes:
        places = PLACE.findall(node.meta.get("stack_trace") or "")
        places = [place for place in places if not place[0].startswith((TORCH_FOLDER, OUR_FOLDER))]
        if places:
            file, line = places[-1][0], int(places[-1][1])
            first, last = found.get(file, (line, line))
            found[file] = min(first, line), max(last, line)
    return [{"file": file, "first": first, "last": last} for file, (first, last) in found.items()]


class Conversions:
    """Stands in for Dynamo's frame callback and tells what came of each frame."""

    def __init__(self, inner: Any, watch: Watch) -> None:
        functools.update_wrapper(self, inner)
        self.inner = inner
        self.watch = watch

    def __call__(self, frame: Any, cache_entry: Any, frame_state: Any) -> Any:
        return self.watch.convert(self.inner, frame, cache_entry, frame_state)


class Watch:
    """Tells `write` about everything that Dynamo does."""

    def __init__(self, write: Callable[..., None]) -> None:
        self.write = write
        self.watches_ours = False
        self.compiled: dict[Any, None] = {}  # code objects, kept so that their identities stay theirs

    def start(self) -> None:
        """Watch from now on. Dynamo must be loaded, and nothing compiled yet."""
        eval_frame, output_graph = torch_names.eval_frame, torch_names.output_graph
        assert torch_names.compile_lock  # its module is loaded with its logger

        for name in list(logging.root.manager.loggerDict):
            if name.endswith(ARTIFACT):
                listen(logging.getLogger(name), self.broke)
        self.watch_graphs(output_graph.OutputGraph)
        self.watch_contexts(eval_frame.OptimizeContext)

    def watch_graphs(self, kind: Any) -> None:
        original = kind.call_user_compiler

        @functools.wraps(original)
        def call_user_compiler(output: Any, module: Any, *args: Any, **kwargs: Any) -> Any:
            operations, lines = count_operations(module), lines_of(module)
            local.lowered = None
            result = original(output, module, *args, **kwargs)
            if local.graphs is not None:
                handed = operations if local.lowered is None else local.lowered
                local.graphs.append({"operations": handed, "lines": lines})
            return result

        kind.call_user_compiler = call_user_compiler

    def watch_contexts(self, kind: Any) -> None:
        """Watch the callbacks of all contexts except our runtime, whose callback inspects calling frames."""
        original = kind.__call__

        @functools.wraps(original)
        def __call__(context: Any, function: Any) -> Any:
            ours = sys.modules.get("graphmend.runtime.driver.callback")
            watched = (Conversions,) if ours is None else (Conversions, ours.Callback)
            if callable(context.callback) and not isinstance(context.callback, watched):
                context.callback = Conversions(context.callback, self)
            elif ours is not None and not self.watches_ours:
                self.watches_ours = True
                self.watch_callback(ours.Callback)
            return original(context, function)

        kind.__call__ = __call__

    def watch_callback(self, kind: Any) -> None:
        """Watch the runtime's own callback behind its decision on a frame, and the graphs of the conversion."""
        for name in ("convert_whole", "convert_partial"):
            original = getattr(kind, name)

            def convert(callback: Any, *frame: Any, original: Any = original) -> Any:
                return self.convert(functools.partial(original, callback), *frame)

            setattr(kind, name, functools.wraps(original)(convert))
        backend = sys.modules["graphmend.runtime.driver.backend"]
        lower = backend.lower

        @functools.wraps(lower)
        def lower_counted(module: Any, *args: Any) -> Any:
            plan = lower(module, *args)
            local.lowered = count_operations(module)
            return plan

        backend.lower = lower_counted  # type: ignore[attr-defined]

    def convert(self, inner: Callable[..., Any], frame: Any, cache_entry: Any, frame_state: Any) -> Any:
        """Convert a frame and record the result."""
        outer, local.graphs = local.graphs, []
        try:
            result = inner(frame, cache_entry, frame_state)
            self.converted(frame.f_code, result, local.graphs)
            return result
        finally:
            local.graphs = outer

    def broke(self, message: str) -> None:
        self.write("break", **describe_break(message))

    def converted(self, code: Any, result: Any, graphs: list[dict[str, Any]]) -> None:
        """Record the result of a frame; of several attempts the last counts."""
        guarded = getattr(result, "guarded_code", None)
        if guarded is None:
            self.skipped(code, result)
            return
        if code in self.compiled:
            self.write("recompile", name=code.co_name, file=code.co_filename, line=code.co_firstlineno)
        self.compiled[code] = None
        if graphs and any(name.startswith("__compiled_fn") for name in guarded.code.co_names):
            self.write("graph", **graphs[-1])

    def skipped(self, code: Any, result: Any) -> None:
        """Record a skipped frame of the program, unless the frame holds no operator."""
        reason = getattr(result, "skip_reason", None) or ""
        if code.co_filename.startswith((TORCH_FOLDER, "<")) or not reason.startswith(GIVEN_UP):
            return
        self.write("skipped", name=code.co_name, file=code.co_filename, line=code.co_firstlineno, reason=reason)
