"""Pauses, slowness, costs and options in forms that nobody expects."""

from __future__ import annotations

import functools
from typing import Any

from plays.grammar import FAILS, PAGE, SAME, piece
from plays.protocol import STREAM, TEXT, answer, chunk, event, head, http, pieces
from plays.repetition import refusal
from plays.stage import ALL, HOLD, READ, STREAMS, Drip, Endless, Error, Play


def _again(name: str, *headers: str, status: int = 503, requests: int = 2) -> Play:
    return Play(
        "repetition",
        name,
        lambda stream: [[READ, *refusal(status, *headers)], [READ, answer(stream), HOLD]],
        [SAME],
        {"pause": 0.01},
        requests=requests,
    )


REPETITION = [
    _again("a pause with a sign", "retry-after: +0"),
    _again("a pause with spaces", "retry-after:   0  "),
    _again("a pause with a line under it", "retry-after: 1_0"),
    _again("a pause without end", "retry-after: inf"),
    _again("a pause beyond numbers", "retry-after: 1e999"),
    _again("a pause with a unit", "retry-after: 1s"),
    _again("two pauses", "retry-after: 0", "retry-after: 99999"),
    _again("a pause in milliseconds and one in seconds", "retry-after-ms: 1", "retry-after: 99999"),
    _again("a date without its day", "retry-after: 06 Nov 1994 08:49:37 GMT"),
    _again("a date as it was written once", "retry-after: Sunday, 06-Nov-94 08:49:37 GMT"),
    _again("a date of asctime", "retry-after: Sun Nov  6 08:49:37 1994"),
    _again("a date that does not exist", "retry-after: Wed, 99 Foo 9999 99:99:99 GMT"),
    _again("x-should-retry in capitals", "x-should-retry: TRUE", status=422),
    _again("425", status=425),
    Play(
        "repetition",
        "a connection that ends in a proxy's page",
        lambda stream: [[READ, http(PAGE, status=504)], [READ, head(status=100)], [READ, answer(stream), HOLD]],
        [SAME],
        {"pause": 0.01},
        requests=3,
    ),
    Play(
        "repetition",
        "gzip cut in front of the first piece",
        lambda stream: [[READ, head("content-encoding: gzip") + b"\x1f\x8b\x08"], [READ, answer(stream), HOLD]],
        [SAME],
        {"pause": 0.01},
        requests=2,
    ),
]
SLOW = [
    Play(
        "waiting",
        name,
        lambda stream, steps=steps: [steps],
        [FAILS],
        {"deadline": 0.5, "timeout": 30.0, "tries": 5},
        forms,
        own=True,
    )  # type: ignore[misc]
    for name, forms, steps in (
        ("a status in drops", ALL, [READ, Drip(b"HTTP/1.1 200 " + b"O" * 900)]),
        ("interim answers in drops", ALL, [READ, Drip(head(status=103) * 50)]),
        (
            "an answer, then drops without end",
            STREAMS,
            [READ, STREAM + chunk(pieces(TEXT)), Endless(chunk(b"\n"), 0.02)],
        ),
        ("ids without end", STREAMS, [READ, STREAM, Endless(chunk(b"id: 1\n\n"), 0.02)]),
        ("retry without end", STREAMS, [READ, STREAM, Endless(chunk(b"retry: 1\n"), 0.02)]),
        ("usage without end", STREAMS, [READ, STREAM, Endless(chunk(event({"choices": [], "usage": {}})), 0.02)]),
        ("calls without end", STREAMS, [READ, STREAM, Endless(chunk(piece(" ", index=0)), 0.02)]),
        (
            "events that keep alive without end",
            STREAMS,
            [READ, STREAM, Endless(chunk(b"event: ping\ndata: {}\n\n"), 0.02)],
        ),
        ("a pause of a date in ten years", ALL, [READ, *refusal(503, "retry-after: Sun, 06 Nov 2094 08:49:37 GMT")]),
        ("a redirect to itself for ever", ALL, [READ, http(b"", "location: /v1/chat/completions", status=503)]),
        ("gzip in drops", ALL, [READ, head("content-encoding: gzip"), Drip(b"\x1f\x8b\x08" + b"\0" * 900)]),
    )
]
COSTS = [
    Play(
        "costs",
        name,
        lambda stream, steps=steps: [[READ, *steps]],
        [(Error("limit"),)],
        {"tries": 1, "deadline": 60.0, "timeout": 20.0, **more},
        STREAMS,
    )  # type: ignore[misc]
    for name, steps, more in (
        (
            "a call's arguments without end",
            [STREAM, Endless(chunk(piece("x" * 1000, index=0) * 200))],
            {"max_answer_bytes": 4 << 20},
        ),
        ("ids without end", [STREAM, Endless(chunk(b"id: 1\n" * 50_000))], {"max_answer_bytes": 4 << 20}),
        ("empty lines without end", [STREAM, Endless(chunk(b"\n" * 300_000))], {"max_answer_bytes": 4 << 20}),
        ("a line of the byte CR without end", [STREAM, Endless(chunk(b"\r" * 300_000))], {"max_answer_bytes": 4 << 20}),
        ("a name of an event without end", [STREAM + chunk(b"event: "), Endless(chunk(b"x" * 100_000))], {}),
    )
]
CIRCLE: "list[Any]" = []
CIRCLE.append(CIRCLE)
OPTIONS = [
    Play("options", name, lambda stream: [], [(Error("option"),)], options, requests=0, own=True, **more)  # type: ignore[arg-type]
    for name, options, more in (
        ("a timeout beyond floats", {"timeout": 10**400}, {}),
        ("a deadline below floats", {"deadline": -(10**400)}, {}),
        ("tries below numbers that can be written", {"tries": -(10**5000)}, {}),
        ("a pause that is a complex number", {"pause": 1j}, {}),
        ("a cache with the byte 0", {"cache": "a\0b"}, {}),
        ("an empty cache", {"cache": ""}, {}),
        ("bytes as the key's variable", {"key_variable": b"KEY"}, {}),
        ("an option in a circle", {"metadata": CIRCLE}, {}),
        ("an option nested deeply", {"metadata": functools.reduce(lambda made, _: [made], range(100_000), [])}, {}),
        ("a set as an option", {"stop": {"a"}}, {}),
        ("a port of 5,000 digits", {}, {"url": "http://127.0.0.1:" + "9" * 5000 + "/v1"}),
        ("an address of bytes", {}, {"url": b"http://127.0.0.1/v1"}),
        ("an address with a label of 64 characters", {}, {"url": "http://" + "a" * 64 + ".test/v1"}),
        ("an address with an escape in its host", {}, {"url": "http://127.0.0.1%00.test/v1"}),
        ("an address with half a character", {}, {"url": "http://\ud800.test/v1"}),
        ("an address of a file", {}, {"url": "file:///etc/passwd"}),
    )
]
PLAYS = [*REPETITION, *SLOW, *COSTS, *OPTIONS]
