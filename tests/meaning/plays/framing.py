"""What stands around an answer: packets, lengths, chunks, compression, interim answers, ends of connections."""

from __future__ import annotations

import gzip
import zlib

from plays.belonging import OTHER
from plays.protocol import (
    DONE,
    END,
    STOP,
    STREAM,
    TEXT,
    answer,
    chunk,
    chunked,
    completion,
    dump,
    event,
    events,
    head,
    http,
    part,
    pieces,
)
from plays.stage import ALL, HOLD, READ, RESET, STREAMS, WHOLE, Drip, Error, Play, Step, Wait, Want

FAILS: Want = (Error(),)
SAME: Want = (TEXT,)
EITHER: Want = (TEXT, Error())
UMLAUTS = "Grüße, 世界, 👋"
BODY = dump(completion())
GZIPPED = gzip.compress(BODY)
STREAMED = gzip.compress(events())
IN_GZIP = head("content-type: text/event-stream", "transfer-encoding: chunked", "content-encoding: gzip")


def _play(group: str, name: str, *steps: Step, want: Want = SAME, forms: "tuple[str, ...]" = STREAMS) -> Play:
    return Play(group, name, lambda stream: [[READ, *steps]], [want], {"tries": 1}, forms)


def _cut(data: bytes, *at: int) -> "list[Step]":
    """Bytes in packets that end at some places."""
    ends = [0, *at, len(data)]
    steps: list[Step] = []
    for start, end in zip(ends, ends[1:]):
        steps += [data[start:end], Wait(0.02)]
    return steps


def _then(name: str, first: "list[Step]", want: Want = SAME, forms: "tuple[str, ...]" = STREAMS) -> Play:
    """A question behind an answer whose connection must not be used again: there is another answer on it."""
    return Play(
        "belonging",
        name,
        lambda stream: [[READ, *first, Wait(0.1), READ, answer(stream), HOLD], [READ, answer(stream, OTHER), HOLD]],
        [want, (OTHER,)],
        {"tries": 1},
        forms,
        before=0.2,
    )


def _bad_sum(data: bytes) -> bytes:
    """gzip whose sum is that of something else."""
    return data[:-8] + bytes([data[-8] ^ 0xFF]) + data[-7:]


TEXTS = [
    _play(
        "text",
        "characters cut by packets",
        *_cut(chunked(events(UMLAUTS)), *(len(STREAM) + 75 + at for at in range(1, 12))),
        want=(UMLAUTS,),
    ),
    _play(
        "text",
        "characters cut by chunks",
        chunked(*(events(UMLAUTS)[at : at + 1] for at in range(len(events(UMLAUTS))))),
        want=(UMLAUTS,),
    ),
    _play(
        "text",
        "CR and LF in packets of their own",
        STREAM,
        *(step for line in events().split(b"\n")[:-1] for step in (chunk(line + b"\r"), Wait(0.01), chunk(b"\n"))),
        END,
    ),
    _play("text", "CR at the end of all bytes", chunked(events().replace(b"\n", b"\r\n")[:-1])),
    _play("text", "several BOMs", chunked(b"\xef\xbb\xbf" * 3 + events()), want=EITHER),
    _play("text", "a BOM in one object", http(b"\xef\xbb\xbf" + BODY), forms=WHOLE),
    _play("text", "retry and id in each event", chunked(events().replace(b"data:", b"retry: 1\nid: 0\ndata:"))),
    _play("text", "fields behind the data", chunked(events().replace(b"\n\n", b"\nid: 3\nretry: 0\n: x\n\n"))),
    _play("text", "empty data in front", chunked(b"data\n\ndata:\n\n" + events())),
    _play("text", "a first chunk of the byte 0", STREAM + chunk(b":\0\n") + chunk(events()) + END),
    _play("text", "a size with zeros in front", STREAM + b"0" * 30 + chunk(events()) + END),
    _play("text", "a size in capitals", STREAM + (b"%X\r\n%s\r\n" % (len(events()), events())) + END),
    _play("text", "spaces behind a size", STREAM + chunk(events()).replace(b"\r\n", b"  \r\n", 1) + END),
    _play("text", "an extension in quotes", STREAM + chunk(events()).replace(b"\r\n", b';a="b;c"\r\n', 1) + END),
    _play("text", "the end of the chunks in drops", STREAM + chunk(events()[:-20]), Drip(chunk(events()[-20:]) + END)),
    _play("text", "trailers in drops", STREAM + chunk(events()) + b"0\r\n", Drip(b"a: b\r\nc: d\r\n\r\n", 0.002)),
    _play("text", "HTTP/1.0 until the close", b"HTTP/1.0 200 OK\r\n\r\n" + events()),
    _play(
        "text",
        "HTTP/1.0 with a length",
        b"HTTP/1.0 200 OK\r\ncontent-length: %d\r\n\r\n" % len(BODY) + BODY,
        forms=WHOLE,
    ),
    _play("text", "a status without words", http(BODY).replace(b" OK", b"", 1), forms=WHOLE),
    _play("text", "a status with a space and no words", http(BODY).replace(b" OK", b" ", 1), forms=WHOLE),
    _play("text", "line ends of LF alone in headers", http(BODY).replace(b"\r\n", b"\n", 2), want=EITHER, forms=WHOLE),
    _play(
        "text",
        "one length twice",
        head(f"content-length: {len(BODY)}", f"content-length: {len(BODY)}") + BODY,
        forms=WHOLE,
    ),
    _play("text", "no encoding", http(BODY, "content-encoding: identity"), forms=WHOLE),
    _play("text", "an encoding in a list", http(GZIPPED, "content-encoding: identity, gzip"), want=EITHER, forms=WHOLE),
    _play("text", "gzip by its old name, in capitals", http(GZIPPED, "content-encoding: X-GZIP"), forms=WHOLE),
    _play(
        "text",
        "gzip in drops",
        head("content-encoding: gzip", f"content-length: {len(STREAMED)}"),
        Drip(STREAMED, 0.001),
    ),
    _play(
        "text", "raw deflate in drops", head("content-encoding: deflate"), Drip(zlib.compress(events())[2:-4], 0.001)
    ),
    _play("text", "gzip in front of its sum", IN_GZIP, chunk(STREAMED[:-8]), Wait(0.05), chunk(STREAMED[-8:]) + END),
    _play("text", "gzip stays open behind [DONE]", IN_GZIP, chunk(STREAMED[:-8]), HOLD, want=EITHER),
    _play("text", "interim answers with headers", *[head("link: x", status=103)] * 20, chunked(events())),
    _play("text", "an interim answer in drops", Drip(head("link: </x>", status=103) + chunked(events()), 0.0)),
    _play("text", "a reset behind the end", answer(True), RESET, want=EITHER),
    _play("text", "an empty header", http(BODY, "x-empty:", "x-spaces:   "), forms=WHOLE),
    _play("text", "a header beyond ASCII", http(BODY, "x-name: Grüße"), forms=WHOLE),
    _play("text", "fifty kilobytes of headers", http(BODY, *[f"x-{n}: {'y' * 480}" for n in range(100)]), forms=WHOLE),
]
FAILURES = [
    _play(
        "failures", "gzip with a wrong sum", http(_bad_sum(GZIPPED), "content-encoding: gzip"), want=FAILS, forms=WHOLE
    ),
    _play(
        "failures", "a stream in gzip with a wrong sum", http(_bad_sum(STREAMED), "content-encoding: gzip"), want=FAILS
    ),
    _play(
        "failures",
        "a stream in gzip with a wrong sum that comes late",
        *(IN_GZIP, chunk(STREAMED[:-8]), Wait(0.05), chunk(_bad_sum(STREAMED)[-8:]) + END),
        want=FAILS,
    ),
    _play("failures", "a stream in gzip without its sum", IN_GZIP, chunk(STREAMED[:-8]), Wait(0.05), END, want=FAILS),
    _play("failures", "a stream in gzip without its sum, at once", IN_GZIP + chunk(STREAMED[:-8]) + END, want=FAILS),
    _play(
        "failures",
        "deflate without its sum",
        http(zlib.compress(BODY)[:-4], "content-encoding: deflate"),
        want=FAILS,
        forms=WHOLE,
    ),
    _play(
        "failures",
        "bytes behind deflate",
        http(zlib.compress(BODY) + b"x", "content-encoding: deflate"),
        want=EITHER,
        forms=WHOLE,
    ),
    _play("failures", "gzip of nothing", http(b"", "content-encoding: gzip"), want=FAILS, forms=ALL),
    _play(
        "failures",
        "gzip in gzip",
        http(gzip.compress(GZIPPED), "content-encoding: gzip, gzip"),
        want=EITHER,
        forms=WHOLE,
    ),
    _play("failures", "br cut short", http(b"\x8b\x02\x80", "content-encoding: br"), want=FAILS, forms=ALL),
    _play(
        "failures",
        "a length that is too small",
        head(f"content-length: {len(BODY) - 3}") + BODY,
        want=FAILS,
        forms=WHOLE,
    ),
    _play(
        "failures",
        "a length that is too large",
        head(f"content-length: {len(BODY) + 3}") + BODY,
        want=FAILS,
        forms=WHOLE,
    ),
    _play(
        "failures",
        "a stream whose length ends in its text",
        head(f"content-length: {len(events()) - 60}") + events(),
        want=FAILS,
    ),
    _play("failures", "a length of 5,000 digits", head("content-length: " + "9" * 5000) + BODY, want=FAILS, forms=ALL),
    _play("failures", "a length with a sign", head("content-length: +5") + BODY, want=FAILS, forms=ALL),
    _play("failures", "a length in a list of two", head("content-length: 5, 6") + BODY, want=FAILS, forms=ALL),
    _play("failures", "a size with a sign", STREAM + pieces(TEXT) + b"+5\r\nxxxxx\r\n" + END, want=FAILS, forms=ALL),
    _play("failures", "a size with 0x", STREAM + b"0x5\r\nxxxxx\r\n" + END, want=FAILS, forms=ALL),
    _play("failures", "a size of sixteen digits", STREAM + b"f" * 16 + b"\r\n" + events(), want=FAILS, forms=ALL),
    _play(
        "failures", "an answer of HTTP/1.0 cut short", b"HTTP/1.0 200 OK\r\n\r\n" + BODY[:-2], want=FAILS, forms=WHOLE
    ),
    _play("failures", "interim answers and nothing", head(status=100), head(status=103), want=FAILS, forms=ALL),
    _play("failures", "an answer that changes the protocol", head("upgrade: h2c", status=101), want=FAILS, forms=ALL),
    _play("failures", "a part of a range", http(BODY, status=206), want=FAILS, forms=WHOLE),
    _play("failures", "a header with the byte 0", http(BODY, "x: a\0b"), want=FAILS, forms=WHOLE),
    _play("failures", "a name of a header with a space", http(BODY, "x y: z"), want=FAILS, forms=WHOLE),
    _play("failures", "a reset in the body", head("content-length: 300") + BODY[:20], RESET, want=FAILS, forms=ALL),
    _play("failures", "a reset in front of the end of chunks", STREAM + chunk(pieces(TEXT) + STOP), RESET, want=FAILS),
    _play("failures", "the end of all bytes in a character", chunked(events("é")[:75]), want=FAILS),
    _play("failures", "half a character in an event", chunked(events("é").replace(b"\xa9", b"")), want=FAILS),
    _play(
        "failures",
        "more than the code points that there are",
        chunked(events("y").replace(b"y", b"\xf4\x90\x80\x80")),
        want=FAILS,
    ),
    _play("failures", "a surrogate in UTF-8", chunked(events("y").replace(b"y", b"\xed\xa0\xbd")), want=FAILS),
    _play("failures", "an answer in UTF-16", http(BODY.decode().encode("utf-16")), want=EITHER, forms=WHOLE),
    *(
        Play(
            "failures",
            f"a redirect to {name}",
            lambda stream, where=where, status=status: [
                [READ, http(b"<html>Moved</html>", f"location: {where}", status=status)]
            ],
            [FAILS],
            {"tries": 1},
        )  # type: ignore[misc]
        for name, where, status in (
            ("another path", "/v2/chat/completions", 308),
            ("another host", "http://example.test/v1/chat/completions", 307),
            ("a page to sign in", "https://example.test/login", 302),
            ("nowhere", "", 301),
            ("itself", "/v1/chat/completions", 303),
        )
    ),
]
BELONGING = [
    _then(
        "Connection: close with another answer behind it",
        [answer(True).replace(b"OK\r\n", b"OK\r\nConnection: Close\r\n", 1) + answer(True)],
    ),
    _then(
        "a kept connection of HTTP/1.0",
        [b"HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: %d\r\n\r\n" % len(BODY) + BODY],
        forms=WHOLE,
    ),
    _then(
        "a length that is too small by a line end", [head(f"content-length: {len(BODY)}") + BODY + b"\r\n"], forms=WHOLE
    ),
    _then("a length that is far too small", [head("content-length: 20") + BODY], want=FAILS, forms=WHOLE),
    _then(
        "no body for a status without one, and one behind it",
        [head("content-length: 5", status=204) + b"hello"],
        want=FAILS,
        forms=ALL,
    ),
    _then("an answer behind interim answers", [head(status=100) * 5 + answer(True) + head(status=100)]),
    _then("trailers behind which bytes stand", [STREAM + chunk(events()) + b"0\r\nx: y\r\n\r\n" + b"\r\n"]),
    _then("a refusal with bytes behind it", [http(b"no", status=400) + answer(True)], want=FAILS, forms=ALL),
    _then("damaged chunks behind [DONE]", [STREAM + chunk(events()) + b"zz\r\n"], want=EITHER),
    _then(
        "an error event behind [DONE]",
        [STREAM + chunk(events()) + chunk(event({"error": "out of memory"})) + END],
        want=FAILS,
    ),
    _then("a stream of two answers", [STREAM + chunk(events()) + chunk(events("No.")) + END], want=EITHER),
    _play(
        "belonging",
        "another answer begins in the middle",
        chunked(pieces("The "), event({**part({"content": "No."}), "id": "c9"}), STOP, DONE),
        want=FAILS,
    ),
    Play(
        "belonging",
        "a kept connection behind errors of several kinds",
        lambda stream: [
            [
                READ,
                http(b"no", status=400),
                READ,
                http(b"", status=404),
                READ,
                http(b"{}", status=422),
                READ,
                answer(stream),
                HOLD,
            ]
        ],
        [FAILS, FAILS, FAILS, SAME],
        {"tries": 1},
        requests=4,
    ),
    Play(
        "belonging",
        "a 408 on a kept connection",
        lambda stream: [
            [READ, answer(stream), Wait(0.05), http(b"", "connection: close", status=408)],
            [READ, answer(stream, OTHER), HOLD],
        ],
        [SAME, (OTHER,)],
        {"tries": 1},
        before=0.2,
    ),
    Play(
        "belonging",
        "ten answers on one connection",
        lambda stream: [[step for number in range(10) for step in (READ, answer(stream, f"No. {number}"))] + [HOLD]],
        [(f"No. {number}",) for number in range(10)],
        {"tries": 1},
        requests=10,
    ),
]
PLAYS = [*TEXTS, *FAILURES, *BELONGING]
