"""Errors and their messages. Words of models appear as `terminal.visible` shows them."""

from __future__ import annotations

from typing import Any, Optional

from graphmend import terminal


class MeaningError(Exception):
    """The base of all errors of this package."""


class UnsupportedType(MeaningError, TypeError):
    """Raised for a type without a reader."""


class ReadError(MeaningError, ValueError):
    """A text that is no value of the type, or could be several.

    `problem` is "empty", "syntax", "type", "ambiguous" or "truncated"; `path` says where in the value, `at` where in
    the text."""

    def __init__(self, problem: str, message: str, path: str = "", at: int = 0, text: str = "") -> None:
        super().__init__(terminal.visible(f"{path}: {message}" if path else message))
        self.problem = problem
        self.message = message
        self.path = path
        self.at = at
        self.text = text


class CallError(MeaningError):
    """A model could not be asked, or did not give an answer that can be read."""

    def __init__(self, message: str, attempts: Optional[list[Any]] = None) -> None:
        super().__init__(terminal.visible(message))
        self.attempts = attempts or []


class EndpointError(CallError):
    """A question to an endpoint failed, or the answer is invalid.

    `kind` is "option" (of the program), "unreachable", "deadline", "status" (a failure reported by the server),
    "protocol" (an unreadable answer), "limit", "cut short" (an incomplete answer) or "refused" (by the model). `status`
    is the status of the answer, `words` the explanation of the server, `received` the text so far, `request_id` the
    server's name of the request, `attempts` the errors of all attempts, in order. The exception of a library is the
    `__cause__`."""

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        words: str = "",
        status: Optional[int] = None,
        again: bool = False,
        pause: Optional[float] = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.words = words
        self.status = status
        self.received = ""
        self.request_id = ""
        self.again = again  # whether asking again may help
        self.pause = pause  # seconds to wait before, where the server says so
        self.was_kept = False  # whether a connection that had been kept turned out to be dead

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (type(self), str(self)), self.__dict__


def _rebuilt(kind: type[EndpointError], message: str) -> EndpointError:
    """An error from another process; pickle adds the fields."""
    made = kind.__new__(kind, message)
    return made


class OptionError(EndpointError, ValueError):
    """Raised for an invalid option of an Endpoint; the message says what to write."""

    def __init__(self, message: str) -> None:
        super().__init__("option", message)
