"""Cost: answers without end, small ones that become large, and large ones that are wanted."""

from __future__ import annotations

import gzip
import zlib

from plays.protocol import END, STOP, STREAM, chunk, completion, dump, events, head, http, pieces
from plays.stage import READ, STREAMS, WHOLE, Endless, Error, Play, Step

MEGABYTE = 1 << 20
ZEROS = gzip.compress(b" " * (40 * MEGABYTE))


def _play(
    name: str, *steps: Step, forms: "tuple[str, ...]" = STREAMS + WHOLE, kind: str = "limit", **more: int
) -> Play:
    options = {"tries": 1, "deadline": 60.0, "timeout": 20.0, **more}
    return Play("costs", name, lambda stream: [[READ, *steps]], [(Error(kind),)], options, forms)


def _deep(depth: int) -> bytes:
    return b'{"choices": ' + b"[" * depth + b"]" * depth + b"}"


def _bomb() -> bytes:
    """40 MB in one line."""
    made = zlib.compressobj(wbits=31)
    return made.compress(b"data: " + b"x" * (40 * MEGABYTE)) + made.flush()


SMALL = 4 * MEGABYTE
LARGE = "x" * (2 * MEGABYTE)
BLOCK = chunk(b" " * MEGABYTE)
EVENT = chunk(pieces("x" * 1000) * 500)
PLAYS = [
    _play("a body without end", head(), Endless(b" " * MEGABYTE), forms=WHOLE),
    _play("chunks without end", STREAM, Endless(BLOCK), forms=WHOLE),
    _play("pieces without end", STREAM, Endless(EVENT), forms=STREAMS, max_answer_bytes=SMALL),
    _play("comments without end", STREAM, Endless(chunk(b": ping\n" * 100_000)), forms=STREAMS, max_answer_bytes=SMALL),
    _play("a line without end", STREAM, Endless(BLOCK), forms=STREAMS),
    _play("a line of two megabytes", STREAM + chunk(events(LARGE)) + END, forms=STREAMS),
    _play("data in lines without end", STREAM, Endless(chunk(b"data: x\n" * 100_000)), forms=STREAMS),
    _play("a length beyond the limit", head("content-length: 999999999999") + b"{", forms=WHOLE),
    _play("headers without end", b"HTTP/1.1 200 OK\r\n", Endless(b"x-more: 1\r\n" * 1000)),
    _play("a header without end", b"HTTP/1.1 200 OK\r\nx: ", Endless(b"x" * 100_000)),
    _play("interim answers without end", Endless(head(status=100) * 100)),
    _play("trailers without end", STREAM + chunk(b"{}") + b"0\r\n", Endless(b"x: 1\r\n" * 1000), forms=WHOLE),
    _play("extensions of a chunk without end", STREAM + b"1;", Endless(b"x" * 100_000)),
    _play("little gzip that becomes much", http(ZEROS, "content-encoding: gzip"), forms=WHOLE),
    _play("little deflate that becomes much", http(zlib.compress(b" " * 40 * MEGABYTE), "content-encoding: deflate")),
    _play("little gzip that becomes one line", http(_bomb(), "content-encoding: gzip"), forms=STREAMS),
    _play("gzip without end", head("content-encoding: gzip"), Endless(gzip.compress(b" " * MEGABYTE))),
    _play("nested deeply", http(_deep(100_000)), forms=WHOLE),
    _play("an event nested deeply", STREAM + chunk(b"data: " + _deep(100_000) + b"\n\n"), forms=STREAMS),
    _play("a refusal without end", head(status=400), Endless(b"x" * MEGABYTE), kind="status"),
    Play(
        "costs",
        "two megabytes that are wanted",
        lambda stream: (
            [[READ, STREAM + chunk(pieces(*["x" * 1000] * 2000) + STOP) + END]]
            if stream
            else [[READ, http(dump(completion("x" * 2_000_000)))]]
        ),
        [("x" * 2_000_000,)],
    ),
    Play(
        "costs",
        "many empty events",
        lambda stream: [[READ, STREAM + chunk(b"\n" * 500_000 + events()) + END]],
        [("The answer is 42.",)],
        forms=STREAMS,
    ),
    Play(
        "costs",
        "256 KB in pieces of four characters, a chunk each",
        lambda stream: [[READ, STREAM + b"".join([chunk(pieces("abcd"))] * 65_536) + chunk(STOP) + END]],
        [("abcd" * 65_536,)],
        forms=STREAMS,
    ),
]
