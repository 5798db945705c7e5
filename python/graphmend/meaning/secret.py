"""Secrets, and the one place that turns texts of servers and libraries into words."""

from __future__ import annotations

import base64
import os
from collections.abc import Sequence

from graphmend.meaning.errors import EndpointError, OptionError

MAX_WORDS = 200  # characters of a server's words in a message


class Secret:
    """A text that no repr, no message and no local of a traceback shows."""

    __slots__ = ("__text",)

    def __init__(self, text: str) -> None:
        self.__text = text

    def __repr__(self) -> str:
        return "Secret(***)"

    def __bool__(self) -> bool:
        return bool(self.__text)

    def __reduce__(self) -> str:
        raise TypeError("a Secret is not pickled")

    def headers(self, name: str, scheme: str) -> "Secret":
        """The line of a header with the secret."""
        return Secret(f"{name}: {scheme} {self.__text}\r\n") if self.__text else Secret("")

    def within(self, before: bytes, behind: bytes) -> memoryview:
        """Bytes around the secret, for a socket. The `repr` of a memoryview shows no bytes."""
        return memoryview(b"".join((before, self.__text.encode("latin-1"), behind)))

    def is_printable(self) -> bool:
        return self.__text.isascii() and self.__text.isprintable()

    def strike(self, text: str) -> str:
        """A text without the secret."""
        return text.replace(self.__text, "***") if self.__text else text


def key_of(variable: str) -> Secret:
    """The key in a variable of the environment."""
    found = Secret(os.environ.get(variable, "").strip())
    if found and not found.is_printable():
        raise OptionError(f"the key in {variable} has characters that no key has")
    return found


def basic(user: str, password: str) -> Secret:
    """A user's name and password in HTTP's basic form."""
    return Secret(base64.b64encode(f"{user}:{password}".encode()).decode())


def shown(text: str) -> str:
    """A text with all that a terminal would act on made visible."""
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape", "surrogatepass").decode() for each in text
    )


def words_of(text: str, secrets: Sequence[Secret], limit: int = MAX_WORDS) -> str:
    """A foreign text, safe for messages: secrets struck out, no control characters, short."""
    for secret in secrets:
        text = secret.strike(text)
    return shown(text[: limit + 1])[:limit]


def _argument(value: object, secrets: Sequence[Secret]) -> object:
    """The part of an exception's argument that messages may show: no bytes, because they may be bytes of an answer."""
    if isinstance(value, str):
        return words_of(value, secrets, 600)
    return b"" if isinstance(value, (bytes, bytearray, memoryview)) else value


def told(error: EndpointError, secrets: Sequence[Secret]) -> EndpointError:
    """An error for the outside: the words of the error and of its causes, without frames, as frames hold bytes of
    requests and answers.
    """
    error.args = (words_of(str(error), secrets, 600),)
    error.words = words_of(error.words, secrets, 2000)
    error.request_id = words_of(error.request_id, secrets)
    for secret in secrets:
        error.received = secret.strike(error.received)
    cause = error.__cause__
    if cause is not None:
        cause.args = tuple(_argument(each, secrets) for each in cause.args)
        for name, nothing in (("doc", ""), ("object", b"")):  # what could not be read, as a whole
            if hasattr(cause, name):
                setattr(cause, name, nothing)
        cause.__cause__ = cause.__context__ = None
        cause.with_traceback(None)
    error.__context__ = None
    return error.with_traceback(None)
