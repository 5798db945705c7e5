"""JSON of servers: an object with two values for one name is refused, and errors are errors of an endpoint."""

from __future__ import annotations

import json
from typing import Any, Optional

from graphmend.meaning.errors import EndpointError
from graphmend.meaning.failures import MAX_SHOWN


def _once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON. JSON leaves open which of two members with one name counts: different members are an error."""
    made = dict(members)
    if len(made) != len(members):
        for name, value in members:
            if made[name] != value:
                raise EndpointError("protocol", f"the endpoint's answer says two things in {name[:40]!r}", again=True)
    return made


_decoder = json.JSONDecoder(object_pairs_hook=_once)
decode = _decoder.decode
_scan: Any = _decoder.scan_once  # type: ignore[attr-defined]


def unreadable(words: str, cause: Optional[BaseException] = None) -> EndpointError:
    error = EndpointError("protocol", f"the endpoint's answer cannot be read: {words}", again=True)
    error.__cause__ = cause
    return error


def load(data: bytes, what: str) -> Any:
    """The value of some JSON."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise not_json(data.decode("utf-8", "replace"), what, error) from error
    return load_text(text, what)


def load_text(text: str, what: str) -> Any:
    try:
        try:
            value, end = _scan(text, 0)
            if end == len(text):
                return value
        except StopIteration:
            pass
        return decode(text)
    except RecursionError as error:
        raise EndpointError("limit", f"{what} is nested too deeply") from error
    except ValueError as error:
        raise not_json(text, what, error) from error


def not_json(text: str, what: str, cause: ValueError) -> EndpointError:
    problem = unreadable(f"{what} is no JSON: {text[:100]}", cause)
    problem.words = text[:MAX_SHOWN]
    return problem
