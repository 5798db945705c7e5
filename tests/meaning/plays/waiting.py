"""Waits without end: all of them have to be over by the deadline."""

from __future__ import annotations

from typing import Any

from plays.protocol import END, STREAM, TEXT, answer, chunk, events, head, pieces
from plays.stage import ALL, HOLD, READ, STREAMS, WHOLE, Drip, Endless, Error, Play, Step, Wait

DEADLINE = 0.5
BIG = "x" * 8_000_000  # more than the buffers of a connection


def _play(name: str, *steps: Step, forms: tuple[str, ...] = ALL, **more: Any) -> Play:
    """Whatever the server does, the call is over at its deadline; one silence is shorter than the timeout."""
    options = {"deadline": DEADLINE, "timeout": 30.0, "tries": 5, **more.pop("options", {})}
    return Play("waiting", name, lambda stream: [list(steps)], [(Error(),)], options, forms, own=True, **more)


HALF = STREAM + chunk(pieces(TEXT))
PLAYS = [
    _play("silence in front of the request", HOLD),
    _play("silence behind the request", READ, HOLD),
    _play("silence in the status", READ, b"HTTP/1.", HOLD),
    _play("silence in the headers", READ, b"HTTP/1.1 200 OK\r\ncontent-", HOLD),
    _play("silence behind the headers", READ, head("content-length: 300"), HOLD),
    _play("silence behind the headers of a stream", READ, STREAM, HOLD),
    _play("silence in the body", READ, head("content-length: 300") + b'{"choices": [', HOLD),
    _play("silence behind the first piece", READ, HALF, HOLD, forms=STREAMS),
    _play("silence in a chunk", READ, STREAM + b"ff\r\ndata: {", HOLD),
    _play("silence in front of the last chunk", READ, STREAM + chunk(b"{}"), HOLD),
    _play("headers in drops", READ, Drip(head("content-length: 3", "x-filler: " + "x" * 500))),
    _play("headers without end", READ, b"HTTP/1.1 200 OK\r\n", Endless(b"x-more: 1\r\n", 0.02)),
    _play("one header without end", READ, b"HTTP/1.1 200 OK\r\nx: ", Endless(b"x", 0.02)),
    _play("interim answers without end", READ, Endless(head(status=100), 0.02)),
    _play("interim answers without end and pause", READ, Endless(head(status=102))),
    _play("line ends without end", READ, Endless(b"\r\n", 0.02)),
    _play("the body in drops", READ, head("content-length: 900"), Drip(b" " * 900)),
    _play("a stream in drops", READ, STREAM, Drip(chunk(pieces(TEXT * 9))), forms=STREAMS),
    _play("chunk sizes in drops", READ, STREAM, Drip(b"0" * 900)),
    _play("trailers in drops", READ, STREAM + chunk(b"x"), b"0\r\n", Endless(b"x: 1\r\n", 0.02), forms=WHOLE),
    _play("comments without end", READ, STREAM, Endless(chunk(b": ping\n\n"), 0.02), forms=STREAMS),
    _play("pieces without end", READ, STREAM, Endless(chunk(pieces("x")), 0.02), forms=STREAMS),
    _play("empty pieces without end", READ, STREAM, Endless(chunk(pieces("")), 0.02), forms=STREAMS),
    _play("spaces without end", READ, STREAM, Endless(chunk(b" "), 0.02), forms=WHOLE),
    _play("a TLS handshake that never comes", HOLD, url="https://127.0.0.1:{port}/v1"),
    _play("a TLS handshake in drops", Drip(b"\x16\x03\x03\x40\x00" + b"\x02" * 900), url="https://127.0.0.1:{port}/v1"),
    _play("a request that is not read", HOLD, prompt=BIG),
    _play("a request that is read slowly", *[Wait(0.3)] * 40, prompt=BIG),
    _play("a connection that is never accepted", accepts=False),
    _play("out of order for ever", READ, head("content-length: 0", status=503), options={"tries": 1000, "pause": 0.01}),
    _play("a pause of a day", READ, head("retry-after: 86400", "content-length: 0", status=429)),
    _play("pauses without end", READ, head("retry-after: 0.1", "content-length: 0", status=429), options={"tries": 99}),
    _play("connections that die for ever", READ, options={"tries": 10_000, "pause": 0.001}),
    _play("a refusal in drops", READ, head("content-length: 900", status=400), Drip(b"x" * 900)),
    _play("a refusal without end", READ, head("transfer-encoding: chunked", status=500), Endless(chunk(b"x"), 0.02)),
    Play(
        "waiting",
        "one silence too long",
        lambda stream: [[READ, Wait(0.1), answer(stream)[:50], HOLD]],
        [(Error(),)],
        {"timeout": 0.3, "tries": 1},
    ),
    Play(
        "waiting",
        "slow but in time",
        lambda stream: [[READ, Wait(0.2), Drip(answer(stream), 0.005, 20)]],
        [(TEXT,)],
        {"timeout": 2.0, "deadline": 10.0},
    ),
    Play(
        "waiting",
        "slow events in time",
        lambda stream: [[READ, STREAM, Wait(0.2), chunk(events()), Wait(0.1), END]],
        [(TEXT,)],
        {"timeout": 2.0, "deadline": 10.0},
        STREAMS,
    ),
]
