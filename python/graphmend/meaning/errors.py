"""What can go wrong, and what is said about it."""

from __future__ import annotations

from typing import Any, Optional


class MeaningError(Exception):
    """The base of all errors of this package."""


class UnsupportedType(MeaningError, TypeError):
    """A type that text cannot be read as."""


class ReadError(MeaningError, ValueError):
    """A text that is no value of the type, or could be several.

    `problem` is "empty", "syntax", "type", "ambiguous" or "truncated"; `path` says where in the value, `at` where in
    the text."""

    def __init__(self, problem: str, message: str, path: str = "", at: int = 0, text: str = "") -> None:
        super().__init__(f"{path}: {message}" if path else message)
        self.problem = problem
        self.message = message
        self.path = path
        self.at = at
        self.text = text


class CallError(MeaningError):
    """A model could not be asked, or did not give an answer that can be read."""

    def __init__(self, message: str, attempts: Optional[list[Any]] = None) -> None:
        super().__init__(message)
        self.attempts = attempts or []
