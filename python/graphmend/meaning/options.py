"""Checks of the options of an endpoint. Each error says what to write."""

from __future__ import annotations

import json
import os
from typing import Any

from graphmend.meaning.errors import OptionError

_OWN = {"messages", "model", "stream", "tools"}
JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
LONGEST = 1e7  # seconds


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -LONGEST <= value <= LONGEST


def _shown(value: Any) -> str:
    """The beginning of a value's repr, which integers of thousands of digits and nested values may not have."""
    try:
        return repr(value)[:40]
    except (ValueError, RecursionError):
        return f"a value of type {type(value).__name__}"


def seconds(name: str, value: Any, least: float = 0.0, example: str = "60") -> float:
    """A time in seconds, more than `least`; a negative `least` also allows 0."""
    if not _is_number(value) or not least < value <= LONGEST:
        more = "0 or more" if least < 0 else "more than 0"
        raise OptionError(f"{name} is {_shown(value)}: write a number of seconds, {more}, such as {name}={example}")
    return float(value)


def count(name: str, value: Any, least: int, example: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise OptionError(f"{name} is {_shown(value)}: write a whole number from {least}, such as {name}={example}")
    return value


def flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise OptionError(f"{name} is {_shown(value)}: write {name}=True or {name}=False")
    return value


def text(name: str, value: Any, example: str) -> str:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise OptionError(f"{name} is {_shown(value)}: write a text, such as {name}={example}")
    return value


def folder(name: str, value: Any) -> Any:
    if value is not None and not (isinstance(value, (str, os.PathLike)) and str(value) and "\0" not in str(value)):
        raise OptionError(f"{name} is {_shown(value)}: write the path of a folder, such as {name}='answers'")
    return value


def callback(name: str, value: Any) -> Any:
    if value is not None and not callable(value):
        raise OptionError(f"{name} is {_shown(value)}: write a function of one argument, such as {name}=print")
    return value


def of_requests(options: dict[str, Any]) -> dict[str, Any]:
    """Options that enter each request unchanged."""
    own = sorted(_OWN & options.keys())
    if own:
        raise OptionError(f"{own[0]} is written by the endpoint itself: leave it out")
    if "n" in options and not (options["n"] == 1 and type(options["n"]) is int):
        raise OptionError("n is not 1: a call has one answer; call several times")
    for name, value in options.items():
        try:
            JSON.encode(value)
        except (TypeError, ValueError, RecursionError) as error:
            raise OptionError(
                f"{name} cannot be written as JSON ({error}): write numbers, texts, lists, dicts"
            ) from None
    return options
