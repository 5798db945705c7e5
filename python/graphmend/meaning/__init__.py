"""Meaning types: typed calls to language models.

    from graphmend.meaning import by, mock

    @by(mock('{"name": "Ann", "age": 41}'))
    def hire(resume: str) -> Person:
        "Read the resume."

`lift`, or `render`, turns values into text; `lower`, or `parse`, turns text into values. A `Model` maps meanings to
meanings. Only calls of a function send requests, and this module imports names at their first use.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers see it, without the import of typing
if TYPE_CHECKING:
    from typing import Any

    from graphmend.meaning.api import describe, lift, lower, meaning_of, parse, render, schema
    from graphmend.meaning.call import by, explain
    from graphmend.meaning.complete import complete, complete_async
    from graphmend.meaning.decision import Decision, UnsureError
    from graphmend.meaning.endpoint import Endpoint
    from graphmend.meaning.errors import (
        CallError,
        EndpointError,
        MeaningError,
        OptionError,
        ReadError,
        UnsupportedType,
    )
    from graphmend.meaning.explanation import Explanation
    from graphmend.meaning.images import Image
    from graphmend.meaning.model import Meaning, MockModel, Model, Request, Scored, ToolCall, mock

__all__ = [
    "CallError",
    "Decision",
    "Endpoint",
    "EndpointError",
    "Explanation",
    "Image",
    "Meaning",
    "MeaningError",
    "MockModel",
    "Model",
    "OptionError",
    "ReadError",
    "Request",
    "Scored",
    "ToolCall",
    "UnsupportedType",
    "UnsureError",
    "by",
    "complete",
    "complete_async",
    "describe",
    "explain",
    "lift",
    "lower",
    "meaning_of",
    "mock",
    "parse",
    "render",
    "schema",
]

_HOMES = {
    "api": ("describe", "lift", "lower", "meaning_of", "parse", "render", "schema"),
    "call": ("by", "explain"),
    "complete": ("complete", "complete_async"),
    "decision": ("Decision", "UnsureError"),
    "endpoint": ("Endpoint",),
    "errors": ("CallError", "EndpointError", "MeaningError", "OptionError", "ReadError", "UnsupportedType"),
    "explanation": ("Explanation",),
    "images": ("Image",),
    "model": ("Meaning", "MockModel", "Model", "Request", "Scored", "ToolCall", "mock"),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            import importlib

            value = getattr(importlib.import_module(f"graphmend.meaning.{home}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
