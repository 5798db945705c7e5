"""Failures in objects of servers, under any name.

Completions have a few well-known members; only objects with further members are examined. There the name and the value
of a member tell a failure: a non-empty `error` in any spelling, a code from 400 or below 0, a false `success`, a state
or a type of a failing name.
"""

from __future__ import annotations

import functools
import json
import re
from typing import Any, Optional

from graphmend.meaning.errors import EndpointError

MAX_SHOWN = 2000  # characters of a server's words that are kept
AGAIN = {408, 409, 425, 429}  # statuses of the kind 400 that may be others the next time

_OF_COMPLETIONS = frozenset(("id", "object", "created", "model", "choices", "usage", "system_fingerprint"))
_OF_CHOICES = frozenset(("index", "delta", "message", "finish_reason", "logprobs"))
_OF_CALLS = frozenset(("index", "id", "function"))
OF_MESSAGES = frozenset(("role", "content", "refusal", "tool_calls"))

_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_FAILED = {"error", "errors", "err", "errmsg", "errcode", "errno", "exception", "exceptions", "failure", "failures"}
_FAILED |= {"failed", "fault"}
_STATES = _FAILED | {"cancelled", "canceled", "aborted", "incomplete", "expired"}
_CODES = {"code", "status", "statuscode", "retcode", "returncode"}
_SUCCESS = {"success", "succeeded", "ok"}
_KINDS = {"status", "state", "type", "object"}
_WORDS = ("message", "msg", "detail", "details", "error_message", "error_msg", "errmsg", "status_msg", "description")
_NOTHING = {"", "0", "none", "null", "ok", "success"}


def failure(told: Any, status: Optional[int] = None) -> EndpointError:
    """The error for a server that reports a failure."""
    if isinstance(told, list) and len(told) == 1:
        told = told[0]
    status = _code(told) or status
    again = status is None or not 400 <= status < 500 or status in AGAIN
    words = _words(told)
    error = EndpointError("status", f"the endpoint says that it failed: {words}", words=words, again=again)
    error.status = status
    return error


def shown(value: Any) -> str:
    """A value as JSON, as far as messages show values."""
    return json.dumps(value, ensure_ascii=False)[:MAX_SHOWN]


def _words(told: Any) -> str:
    found = [told] if isinstance(told, str) else [told.get(name) for name in _WORDS] if isinstance(told, dict) else []
    return next((text[:MAX_SHOWN] for text in found if isinstance(text, str) and text), None) or shown(told)


def _code(told: Any) -> Optional[int]:
    """The status in an object."""
    found = [told.get(name) for name in ("code", "status", "status_code")] if isinstance(told, dict) else []
    numbers = [int(each) if isinstance(each, str) and re.fullmatch("[0-9]{3}", each) else each for each in found]
    return next((each for each in numbers if type(each) is int), None)


@functools.lru_cache(1000)
def _parts(name: str) -> tuple[str, ...]:
    """The words of a name: errorMessage, error_message and ERROR-MESSAGE have the same."""
    return tuple(part.lower() for part in _PART.findall(name[:100]))


def _tells(name: str, value: Any) -> bool:
    """Whether a member tells a failure."""
    parts = _parts(name)
    if not _FAILED.isdisjoint(parts):
        return not _is_nothing(value)
    joined = "".join(parts)
    if joined in _SUCCESS:
        return value is False
    return (joined in _CODES and _is_bad_code(value)) or (joined in _KINDS and _is_bad_state(value))


def _is_nothing(value: Any) -> bool:
    if isinstance(value, str):
        return value.strip().lower() in _NOTHING
    return value is None or value is False or value == 0 or value == []


def _is_bad_code(value: Any) -> bool:
    if isinstance(value, str) and re.fullmatch("-?[0-9]{1,9}", value):
        value = int(value)
    return type(value) is int and (value < 0 or value >= 400)


def is_state_of_failure(name: str) -> bool:
    """Whether a state, or an event of a stream, has the name of a failure."""
    return not _STATES.isdisjoint(_parts(name))


def _is_bad_state(value: Any) -> bool:
    return isinstance(value, str) and is_state_of_failure(value)


def _check(value: dict[str, Any], known: "frozenset[str]", within: bool = False) -> None:
    """Raise where a member tells a failure; `known` are harmless members. `within` says to examine members of members,
    too.
    """
    for name, member in value.items():
        if name in known and name != "object":
            continue
        if _tells(name, member):
            named = name in ("error", "errors") and member is not True
            raise failure(member if named else value, _code(value))
        if within and isinstance(member, dict):
            _check(member, _OF_CHOICES)


def check_completion(value: dict[str, Any]) -> None:
    """Raise where a completion, or a part of one, tells a failure."""
    if not _OF_COMPLETIONS.issuperset(value) or value.get("object") == "error":
        _check(value, _OF_COMPLETIONS, within=True)


def check_choice(value: dict[str, Any]) -> None:
    if not _OF_CHOICES.issuperset(value):
        _check(value, _OF_CHOICES)


def check_message(value: dict[str, Any]) -> None:
    """Check a message, or a part of a message, with members besides OF_MESSAGES."""
    _check(value, OF_MESSAGES)


def check_call(value: dict[str, Any]) -> None:
    """The same for a call of a tool, or a piece of one."""
    _check(value, _OF_CALLS)


def check_rest(value: dict[str, Any]) -> None:
    """Raise where an object without a choice has words: the words tell a failure."""
    if value.get("usage") is None and any(value.get(name) for name in _WORDS):
        raise failure(value)
