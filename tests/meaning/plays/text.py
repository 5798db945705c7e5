"""Text that is lost or added: every play has the same text, in a form that the standards allow."""

from __future__ import annotations

import gzip
import zlib
from typing import Any

from plays.protocol import (
    DONE,
    END,
    PIECES,
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
    whole,
)
from plays.stage import HOLD, READ, STREAMS, WHOLE, Drip, Error, Play, Wait, Want

BOM = b"\xef\xbb\xbf"
UMLAUTS = "Grüße, 世界, 👋 and \u2028 \u0085."


def _stream(name: str, *data: bytes, want: Want = (TEXT,), text: str = TEXT) -> Play:
    return Play(
        "text", name, lambda stream: [[READ, STREAM + b"".join(map(chunk, data)) + END]], [want], {"tries": 1}, STREAMS
    )


def _open(name: str, *steps: "bytes | Wait | Drip", want: Want = (TEXT,)) -> Play:
    """A stream that the end of the connection ends."""
    return Play("text", name, lambda stream: [[READ, head(), *steps]], [want], {"tries": 1}, STREAMS)


def _whole(name: str, response: bytes, want: Want = (TEXT,)) -> Play:
    return Play("text", name, lambda stream: [[READ, response]], [want], {"tries": 1}, WHOLE)


def _lines(line: str) -> bytes:
    return events().replace(b"\n", line.encode())


def _several(data: bytes) -> bytes:
    """Each event's JSON in three lines."""
    return data.replace(b'"choices"', b'\ndata: "choices"').replace(b'"delta"', b'\ndata:"delta"')


def _odd(data: bytes) -> bytes:
    return data.replace(b"data: ", b": a comment\nid: 7\nretry: 10\nunknown: x\nevent\ndata:")


HALVES = b'data: {"choices": [{"index": 0, "delta": {"content": "%s"}}]}\n\n'
ODD_MEMBERS: "dict[str, Any]" = {  # members that tell no failure
    "code": 0,
    "message": "Success",
    "success": True,
    "status": "completed",
    "error": None,
    "errors": [],
    "error_code": 0,
    "errorMessage": "",
    "type": "chat",
    "x_server": {"id": "r1", "state": "running", "status_code": 200},
    "base_resp": {"status_code": 0, "status_msg": ""},
    "service_tier": "default",
    "provider": "somebody",
    "prompt_filter_results": [{"content_filter_results": {"hate": {"filtered": False}}}],
}


def _with_odd_members(texts: "tuple[str, ...]") -> bytes:
    return b"".join(event(part({"content": text, "reasoning_content": None}, **ODD_MEMBERS)) for text in texts)


def _zlib(data: bytes, bits: int) -> bytes:
    made = zlib.compressobj(wbits=bits)
    return made.compress(data) + made.flush()


PLAYS = [
    Play("text", "the right answer", lambda stream: [[READ, answer(stream)]], [(TEXT,)]),
    Play("text", "text beyond ASCII", lambda stream: [[READ, answer(stream, UMLAUTS)]], [(UMLAUTS,)]),
    Play(
        "text",
        "text beyond ASCII, a byte at a time",
        lambda stream: [[READ, Drip(answer(stream, "é世👋"), 0.0)]],
        [("é世👋",)],
    ),
    Play(
        "text",
        "interim answers",
        lambda stream: [[READ, head(status=100), head(status=103), answer(stream)]],
        [(TEXT,)],
    ),
    Play(
        "text",
        "an answer in two packets",
        lambda stream: [[READ, answer(stream)[:60], Wait(0.05), answer(stream)[60:]]],
        [(TEXT,)],
    ),
    Play(
        "text",
        "lower case and odd spaces in headers",
        lambda stream: [
            [
                READ,
                answer(stream).replace(b"content-type: ", b"CONTENT-TYPE:  ").replace(b"chunked\r\n", b"Chunked \r\n"),
            ]
        ],
        [(TEXT,)],
    ),
    _stream("a BOM", BOM + events()),
    _stream("a BOM in two parts", BOM[:1], BOM[1:] + events()),
    _stream("CR line ends", _lines("\r")),
    _stream("CRLF line ends", _lines("\r\n")),
    _stream("CRLF line ends that are cut", *(b"%c" % byte for byte in _lines("\r\n"))),
    _stream("CR line ends that are cut", *(b"%c" % byte for byte in _lines("\r"))),
    _stream("line ends of several kinds", events().replace(b"\n\n", b"\r\n\n", 2).replace(b"\n\n", b"\r\r", 1)),
    _stream("data in several lines", _several(events())),
    _stream("fields that nobody asked for", _odd(events())),
    _stream("no space behind the colon", events().replace(b"data: ", b"data:")),
    _stream("comments between", events().replace(b"\n\n", b"\n\n: ping\n\n")),
    _stream("events without data", b"event: ping\n\n" + events()),
    _stream("named as messages", events().replace(b"data:", b"event: message\ndata:")),
    _stream("a byte at a time", *(b"%c" % byte for byte in events())),
    _stream("text behind [DONE]", events() + pieces(" No."), want=(TEXT, Error())),
    _stream("text behind [DONE], later", events(), pieces(" No."), want=(TEXT, Error())),
    _stream("stop without [DONE]", pieces(*PIECES) + STOP),
    _stream(
        "the reason with the last piece", pieces(*PIECES[:-1]) + event(part({"content": PIECES[-1]}, "stop")) + DONE
    ),
    _stream("the last line without its end", pieces(*PIECES) + STOP + DONE[:-2]),
    _stream("the last line with one end", pieces(*PIECES) + STOP + DONE[:-1]),
    _stream("stop in a line without its end", pieces(*PIECES) + STOP[:-2]),
    _stream("spaces behind [DONE]", events().replace(b"[DONE]", b" [DONE] ")),
    _stream("an empty reason in each piece", events().replace(b'"finish_reason": null', b'"finish_reason": ""')),
    _stream("null for choices beside usage", pieces(*PIECES) + STOP + event({"choices": None, "usage": {}}) + DONE),
    _stream("a role first", event(part({"role": "assistant", "content": ""})) + events()),
    _stream("null as a piece", event(part({"content": None})) + events()),
    _stream("usage last", pieces(*PIECES) + STOP + event({"choices": [], "usage": {"total_tokens": 7}}) + DONE),
    _stream("usage beside null as an error", pieces(*PIECES) + STOP + event({"choices": [], "error": None}) + DONE),
    _stream("one event of a hundred thousand characters", events("x" * 100_000), want=("x" * 100_000,)),
    _stream("members that nobody asked for", _with_odd_members(PIECES) + STOP + DONE),
    _stream("an index that is null", pieces(*PIECES).replace(b'"index": 0', b'"index": null', 2) + STOP + DONE),
    _stream("no index", pieces(*PIECES).replace(b'"index": 0, ', b"", 2) + STOP + DONE),
    _stream(
        "events that keep alive",
        b"event: ping\ndata: {}\n\n" + events().replace(b"\n\n", b"\n\nevent: heartbeat\ndata: {}\n\n", 2),
    ),
    _stream(
        "a character in two pieces", HALVES % b"\\ud83d" + HALVES % b"\\udc4b!" + STOP + DONE, want=("\U0001f44b!",)
    ),
    _stream("a character in two chunks", HALVES % b"a\\ud83d", HALVES % b"\\udc4b", STOP + DONE, want=("a\U0001f44b",)),
    _stream("half a character", HALVES % b"a\\ud83d", STOP + DONE, want=("a\ud83d", Error())),
    _stream(
        "half a character in front of others",
        HALVES % b"\\ud83d" + HALVES % b"a",
        STOP + DONE,
        want=("\ud83da", Error()),
    ),
    _stream("the other half of a character", HALVES % b"\\udc4ba", STOP + DONE, want=("\udc4ba", Error())),
    _stream(
        "a part without a delta", pieces(*PIECES) + event({"choices": [{"index": 0, "finish_reason": "stop"}]}) + DONE
    ),
    _stream(
        "pieces beside whole messages",
        event({"choices": [{"delta": {"content": TEXT}, "message": {"content": TEXT}}]}) + STOP,
    ),
    _stream("a text that is empty", pieces("") + STOP + DONE, want=("",)),
    _stream("pieces of spaces and line ends", events(" ", "\n", "\t", " x \n"), want=(" \n\t x \n",)),
    _open("until the close", events()),
    _open("until the close, slowly", Drip(events(), 0.002, 20)),
    _open("until the close without [DONE]", pieces(*PIECES) + STOP),
    Play(
        "text",
        "the connection stays open behind [DONE]",
        lambda stream: [[READ, head() + events(), HOLD]],
        [(TEXT,)],
        {"tries": 1, "timeout": 2.0, "deadline": 3.0},
        STREAMS,
    ),
    Play(
        "text",
        "chunks stay open behind [DONE]",
        lambda stream: [[READ, STREAM + chunk(events()), HOLD]],
        [(TEXT,)],
        {"tries": 1, "timeout": 2.0, "deadline": 3.0},
        STREAMS,
    ),
    Play("text", "a stream with its length", lambda stream: [[READ, http(events())]], [(TEXT,)], {}, STREAMS),
    Play(
        "text",
        "a stream in gzip",
        lambda stream: [[READ, http(gzip.compress(events()), "content-encoding: gzip")]],
        [(TEXT,)],
        {},
        STREAMS,
    ),
    Play(
        "text",
        "a whole answer to the wish for a stream",
        lambda stream: [[READ, whole()]],
        [(TEXT, Error())],
        {"tries": 1},
        STREAMS,
    ),
    Play(
        "text",
        "trailers",
        lambda stream: [
            [
                READ,
                STREAM + chunk(events()) + b"0\r\nx-sum: 3\r\n\r\n",
                READ,
                STREAM + chunk(events("Two.")) + END,
                HOLD,
            ]
        ],
        [(TEXT,), ("Two.",)],
        {},
        STREAMS,
    ),
    Play(
        "text",
        "chunks with extensions",
        lambda stream: [[READ, STREAM + chunk(events()).replace(b"\r\n", b";a=b\r\n", 1) + END]],
        [(TEXT,)],
        {},
        STREAMS,
    ),
    _whole("in gzip", http(gzip.compress(dump(completion())), "content-encoding: gzip")),
    _whole(
        "in two members of gzip",
        http(gzip.compress(dump(completion())[:9]) + gzip.compress(dump(completion())[9:]), "content-encoding: gzip"),
    ),
    _whole("in half of gzip", http(gzip.compress(dump(completion()))[:-9], "content-encoding: gzip"), (Error(),)),
    _whole(
        "bytes behind gzip", http(gzip.compress(dump(completion())) + b"xx", "content-encoding: gzip"), (TEXT, Error())
    ),
    _whole("in deflate", http(_zlib(dump(completion()), 15), "content-encoding: deflate")),
    _whole("in raw deflate", http(_zlib(dump(completion()), -15), "content-encoding: deflate")),
    _whole("in chunks", chunked(dump(completion())[:20], dump(completion())[20:])),
    _whole("until the close", head() + dump(completion())),
    _whole("as an unknown kind of content", http(dump(completion()), "content-type: text/plain; charset=latin-1")),
    _whole("with a BOM", http(BOM + dump(completion())), (TEXT, Error())),
    _whole("members that nobody asked for", http(dump(completion(**ODD_MEMBERS)))),
    _whole("an empty text", http(dump(completion(""))), ("",)),
    _whole("with spaces around", http(b"\n " + dump(completion()) + b"\n")),
    _whole(
        "with characters of escapes",
        http(dump(completion("é\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16")))),
        ("é😀",),
    ),
    _whole(
        "escaped",
        http(b'{"choices": [{"message": {"content": "\\u00e9\\ud83d\\ude00"}, "finish_reason": "stop"}]}'),
        ("é😀",),
    ),
]
