"""Asking again: what gets better is asked for again, what does not is not."""

from __future__ import annotations

import email.utils
import time
from typing import Any

from plays.protocol import DONE, STOP, STREAM, TEXT, answer, chunk, event, head, http, pieces
from plays.stage import ALL, HOLD, READ, RESET, STREAMS, Error, Play, Step, Wait


def _again(name: str, *faults: "list[Step]", forms: tuple[str, ...] = ALL, **more: Any) -> Play:
    """Faults, a connection for each, and behind them the right answer."""

    def script(stream: bool) -> "list[list[Step]]":
        return [*([READ, *steps] for steps in faults), [READ, answer(stream), HOLD]]

    return Play("repetition", name, script, [(TEXT,)], {"pause": 0.01}, forms, requests=len(faults) + 1, **more)


def _once(name: str, *steps: Step, forms: tuple[str, ...] = ALL) -> Play:
    """What is no reason to ask again."""
    return Play("repetition", name, lambda stream: [[READ, *steps]], [(Error(),)], {"pause": 0.01}, forms, requests=1)


def refusal(status: int, *headers: str) -> "list[Step]":
    return [http(b"later", *headers, status=status)]


def _date(seconds: float) -> str:
    return email.utils.formatdate(time.time() + seconds, usegmt=True)


def _waits(name: str, *headers: str, status: int = 429) -> Play:
    return _again(name, refusal(status, *headers))


BROKEN: "list[Step]" = [STREAM + chunk(b": ping\n\n") + chunk(b"data: {bro\n\n")]
PLAYS = [
    *(_again(str(status), refusal(status)) for status in (408, 409, 429, 500, 501, 502, 503, 504, 520, 529, 599)),
    _again("twice", refusal(500), refusal(429)),
    _again("a close in front of an answer", []),
    _again("a reset in front of an answer", [RESET]),
    _again("a close in the headers", [b"HTTP/1.1 200 OK\r\ncont"]),
    _again("a close behind the headers", [head("content-length: 9")]),
    _again("a close in front of the first piece", [STREAM + chunk(b": ping\n\n")], forms=STREAMS),
    _again("damage in front of the first piece", BROKEN, forms=STREAMS),
    _again(
        "an error event in front of the first piece", [STREAM + chunk(event({"error": {"code": 503}}))], forms=STREAMS
    ),
    _again("a page", [http(b"<html>")]),
    Play(
        "repetition",
        "a kept connection that has been closed",
        lambda stream: [[READ, answer(stream)], [READ, answer(stream), HOLD]],
        [(TEXT,), (TEXT,)],
        {"tries": 1},
        requests=2,
        before=0.1,
    ),
    Play(
        "repetition",
        "a kept connection that dies of the next request",
        lambda stream: [[READ, answer(stream), READ, RESET], [READ, answer(stream), HOLD]],
        [(TEXT,), (TEXT,)],
        {"pause": 0.01},
        requests=3,
    ),
    Play(
        "repetition",
        "a kept connection that is closed by the next request",
        lambda stream: [[READ, answer(stream), READ], [READ, answer(stream), HOLD]],
        [(TEXT,), (TEXT,)],
        {"pause": 0.01},
        requests=3,
    ),
    _waits("a pause in seconds", "retry-after: 0"),
    _waits("a pause in parts of seconds", "retry-after: 0.05"),
    _waits("a pause in milliseconds", "retry-after-ms: 50"),
    _waits("a pause as a date", "retry-after: " + _date(0)),
    _waits("a pause as a date that is over", "retry-after: " + _date(-3600)),
    _waits("a pause that is no number", "retry-after: \u00b2".encode().decode("latin-1")),
    _waits("a pause that is a word", "retry-after: soon"),
    _waits("a negative pause", "retry-after: -5"),
    _waits("a pause that is not a number", "retry-after: nan"),
    _waits("x-should-retry: true", "x-should-retry: true", status=400),
    _once("x-should-retry: false", *refusal(503, "x-should-retry: false")),
    *(_once(str(status), *refusal(status)) for status in (400, 401, 403, 404, 413, 422)),
    _once("a cut behind the first piece", STREAM + chunk(pieces("The ")), forms=STREAMS),
    _once(
        "an error event behind the first piece",
        STREAM + chunk(pieces("The ")) + chunk(event({"error": {"code": 503}})),
        forms=STREAMS,
    ),
    _once("an end without a reason behind the first piece", STREAM + chunk(pieces("The ") + DONE), forms=STREAMS),
    _once(
        "a refusal of the model",
        STREAM + chunk(event({"choices": [{"delta": {"refusal": "No."}}]}) + STOP),
        forms=STREAMS,
    ),
    Play(
        "repetition",
        "a pause beyond the deadline",
        lambda stream: [[READ, *refusal(503, "retry-after: 30")], [READ, answer(stream)]],
        [(Error(),)],
        {"deadline": 2.0},
        requests=1,
    ),
    Play(
        "repetition",
        "whole numbers as pauses",
        lambda stream: [[READ, *refusal(500)], [READ, answer(stream), HOLD]],
        [(TEXT,)],
        {"pause": 0, "deadline": 5, "timeout": 5},
        requests=2,
    ),
    Play(
        "repetition",
        "an answer in front of the end of the request",
        lambda stream: [[http(b"too large", status=413), Wait(0.2)]],
        [(Error("status"),)],
        {},
        prompt="x" * 8_000_000,
    ),
]
